"""The committed type stub is what the built module generates."""

import subprocess
import sys
from pathlib import Path

import gramian


def test_stub_is_fresh(tmp_path):
    fresh = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "gramian._core"]
    subprocess.run([*command, "-o", str(fresh)], check=True)
    committed = Path(gramian.__file__).with_name("_core.pyi")
    assert fresh.read_text() == committed.read_text(), "run `make stub` and commit the result"
