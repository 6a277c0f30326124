# Build the extension under a sanitizer and put it beside a copy of the package:
#   sh tools/build_sanitized.sh NAME SANITIZERS
set -e
folder=build/python-$1
cmake -S . -B "$folder" -G Ninja -DGRAMIAN_SANITIZE="$2" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DPython_EXECUTABLE="$PWD/.venv/bin/python" > /dev/null
cmake --build "$folder" --target _core
mkdir -p "$folder/package"
cp -R src/gramian "$folder/package/"
cmake --install "$folder" --component python --prefix "$PWD/$folder/package" > /dev/null
