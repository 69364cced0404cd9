# Sourced by the scripts beside it: finds a Python and keeps the virtual environment in .venv.
# Needs ROOT, the folder of the checkout. Quick when nothing changed: a stamp in .venv holds what
# it was made from.

say() { printf '%s\n' "$*" >&2; }

# The first Python of 3.11 or later that runs (a name may be a shim that leads nowhere).
find_python() {
    local name
    for name in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11 python; do
        [ -n "$name" ] || continue
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s\n' "$name"
            return
        fi
    done
    say 'error: no Python 3.11 or later was found'
    say 'fix: install one, or name it: PYTHON=/path/to/python3 '"$0"
    return 1
}

# install EXTRAS: .venv holds gitmem, editable, with the extras of that name ("" for none).
install() {
    local extras=$1 stamp python wanted
    python=$ROOT/.venv/bin/python
    if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        local found
        found=$(find_python) || return 1
        say "making .venv with $found"
        if ! "$found" -m venv --clear "$ROOT/.venv" >&2; then
            say 'error: the virtual environment could not be made'
            say 'fix: install the venv module of this Python (on Debian: python3-venv)'
            return 1
        fi
    fi
    stamp=$ROOT/.venv/gitmem-installed
    # The folder is part of it: an editable install points to where it was made. What the tools
    # need is more than what gitmem needs alone.
    wanted="$ROOT $(cksum <"$ROOT/pyproject.toml") extras:"
    case $(cat "$stamp" 2>/dev/null) in "$wanted"*"$extras") return ;; esac
    say "installing gitmem${extras:+ with what its $extras tools need} into .venv"
    "$python" -m pip install --quiet --disable-pip-version-check \
        --editable "$ROOT${extras:+[$extras]}" >&2 || return 1
    printf '%s\n' "$wanted$extras" >"$stamp"
}
