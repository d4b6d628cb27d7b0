/**
 * Runs the code and keeps what it says. It can't keep code from changing it, and needn't: it guards nothing.
 * `sys.meta_path` loses the finders that lead to JavaScript.
 */
export const harness = `
import linecache, os, sys, traceback
from pyodide.code import eval_code

os.makedirs("/home/user", exist_ok=True)
os.chdir("/home/user")
for name in [name for name in sys.modules if name.split(".")[0] in ("js", "pyodide_js")]:
    del sys.modules[name]
sys.meta_path[:] = [finder for finder in sys.meta_path if "pyodide" not in type(finder).__module__]

def refuse(*_):
    raise OSError("Programs can't be run in here.")

# the runtime would really try, and break when it fails
os.system = refuse

def run(code, most):
    variables = {"__name__": "__main__"}
    linecache.cache["main.py"] = (len(code), None, code.splitlines(True), "main.py")
    try:
        value = eval_code(code, variables, filename="main.py")
        return [None if value is None else repr(value)[:most], None]
    except SystemExit as leaving:
        return [None, None if leaving.code in (None, 0) else "SystemExit: " + str(leaving.code)[:most]]
    except BaseException as error:
        frame = error.__traceback__
        while frame is not None and frame.tb_frame.f_code.co_filename != "main.py":
            frame = frame.tb_next
        return [None, "".join(traceback.format_exception(type(error), error, frame))[-most:]]
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:
            pass

run
`
