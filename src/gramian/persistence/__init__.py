"""Model files that hold data only, and fingerprints of models.

`save` writes a model to one file, atomically; `load` reads it back and never executes anything that
the file says; `fingerprint` hashes what a file would hold. `persistable` declares a class or a
function that may appear in a model besides the library's own estimators.

The file format, version 1
--------------------------
A model file is a zip archive with a member ``manifest.json`` and members ``arrays/0.bin``,
``arrays/1.bin``, ... Members are stored or deflated, never encrypted; no byte of the file lies
outside of them and the archive's own records. The manifest is UTF-8 JSON
without floating-point literals and without repeated keys:

========== =========================================================================================
key        value
========== =========================================================================================
format     the string ``"gramian-model"``
version    1; a reader refuses a higher version
gramian    version of the library that wrote the file, for messages
members    a list with ``{"size": bytes, "sha256": hex}`` of each array member, in order
objects    a list of objects; each may refer to earlier ones only, so that cycles cannot be written
root       the slot of the saved value
========== =========================================================================================

A *slot* is a value, or points to one:

=========================================== ========================================================
slot                                        meaning
=========================================== ========================================================
``null``, ``true``, ``false``, a string     themselves
an integer of at most 64 bits               itself
``{"int": "-0x1f"}``                        an integer of any size
``{"float": "0x1.8p+1"}``                   a double: C99 hexadecimal, or ``nan``, ``inf``, ``-inf``
``{"complex": ["0x1p+0", "-0x0.0p+0"]}``    real and imaginary part
``{"ref": 3}``                              ``objects[3]``; the same number is the same object
=========================================== ========================================================

An *object* is a JSON object with a ``type`` and exactly these further keys. *Data* are raw bytes: a
string is the bytes in hexadecimal, an integer is the number of the array member that holds them;
each member is used once.

==================== ===============================================================================
type                 keys
==================== ===============================================================================
list, tuple,         ``items``: slots
set, frozenset
dict                 ``items``: pairs ``[key slot, value slot]``
bytes                ``data``
slice, range         ``start``, ``stop``, ``step``: slots
array                ``dtype``: a NumPy type string, little-endian: ``|b1``, ``|i1``, ``|u1``,
                     ``<i2`` ``<i4`` ``<i8``, ``<u2`` ``<u4`` ``<u8``, ``<f2`` ``<f4`` ``<f8``,
                     ``<c8`` ``<c16``, ``|S5``, ``<U5`` (UTF-32), ``<M8[ns]``, ``<m8[ns]``;
                     ``shape``: integers; ``order``: ``"C"`` (last index fastest) or ``"F"``;
                     ``data``
object_array         ``shape``; ``order`` of the array in memory; ``items``: slots, the last
                     index fastest
masked_array         ``values``, ``mask``, ``fill_value``: slots of an array, of booleans of the
                     same shape or null, and of a scalar of the type of the data
scalar               ``dtype`` and ``data`` of one NumPy scalar
dtype                ``name``: a NumPy type string, in either byte order
builtin              ``name`` of a Python or NumPy scalar type, such as ``float`` or
                     ``numpy.float32``
function             ``name`` of a public function of the library, a NumPy ufunc
                     (``numpy.log1p``) or reduction (``numpy.mean``), or a declared function
sparse               ``format``: csr, csc or coo; ``container``: array or matrix; ``shape``: two
                     integers; ``parts``: slots of the arrays data, indices, indptr (csr, csc) or
                     data, row, col (coo)
random               ``container``: RandomState or Generator; ``state``: slot of the dict that NumPy
                     gives as the state, with the name of the bit generator in it
object               ``class``: name of a library class, or ``module.name`` of a declared one;
                     ``params``: slots by name, exactly the constructor's parameters (of a
                     dataclass: its fields); ``attributes``: slots by name of everything else
==================== ===============================================================================

Limits
------
`load` refuses a file that is outside these, and `save` does not write one. They bound what a small
hostile file can cost: memory for arrays is at most the declared size of the members, memory for
everything else at most a small multiple (about 40) of the manifest's size.

- all members together: 64 MiB, or 1100 times the size of the file if that is more (deflate cannot
  compress better than 1032 to 1);
- the manifest: 1 MiB, or 32 times the size of the file if that is more, and never over 512 MiB;
- values are nested at most 100 deep;
- ``n_features_in_`` of an estimator is the number of columns of its arrays; above 2**20, some array
  or list of the file must have as many entries;
- the *expanded size* (the number of values in a value when shared ones are counted each time),
  summed over all objects, is at most ten million plus 100 times the number of slots.
"""

from gramian.persistence._allowed import persistable
from gramian.persistence._fingerprint import fingerprint
from gramian.persistence._load import load
from gramian.persistence._save import save

__all__ = ["fingerprint", "load", "persistable", "save"]
