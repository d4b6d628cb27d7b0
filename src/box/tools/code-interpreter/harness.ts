/**
 * Runs the code from its standard input and writes the result to `/run`. The code can modify the harness, which is safe because the harness
 * protects nothing. Modules that aren't always needed are imported where they are used, because an import takes time. Sleeping and asyncio
 * get their own way to wait, because this Python's C library has none.
 */
export const harness = (maxCharacters: number) => `
import _ast, _thread, os, sys, time

def sleep(seconds):
    if seconds < 0: raise ValueError("sleep length must be non-negative")
    lock = _thread.allocate_lock()
    lock.acquire()
    lock.acquire(True, seconds)

time.sleep = sleep

def prepare_asyncio():
    import asyncio, selectors
    class Selector(selectors._BaseSelectorImpl):
        def select(self, timeout=None):
            if timeout is None: raise RuntimeError("This would wait for ever: nothing else is running.")
            if timeout > 0: sleep(timeout)
            return []
    class EventLoop(asyncio.SelectorEventLoop):
        def __init__(self): super().__init__(Selector())
        def _make_self_pipe(self): pass
        def _close_self_pipe(self): pass
        def _write_to_self(self): pass
    class Policy(asyncio.DefaultEventLoopPolicy):
        _loop_factory = EventLoop
    asyncio.set_event_loop_policy(Policy())

def explain(error, code):
    import linecache, traceback
    linecache.cache["main.py"] = (len(code), None, code.splitlines(True), "main.py")
    frame = error.__traceback__
    while frame is not None and frame.tb_frame.f_code.co_filename != "main.py":
        frame = frame.tb_next
    text = "".join(traceback.format_exception(type(error), error, frame))
    return text.replace("/wlr/build-staging/python/v3.11.3-aio/checkout/Lib/", "/usr/local/lib/python3.11/")

def say(name, text):
    with open("/run/" + name, "w", errors="backslashreplace") as file: file.write(text)

def run(code):
    try:
        if "asyncio" in code: prepare_asyncio()
        # what unittest, doctest and pickle look into
        main = sys.modules["__main__"] = type(sys)("__main__")
        variables = main.__dict__
        tree = compile(code, "main.py", "exec", 0x400) # ast.PyCF_ONLY_AST
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], _ast.Expr) else None
        exec(compile(tree, "main.py", "exec"), variables)
        if last is None: return
        value = eval(compile(_ast.Expression(last.value), "main.py", "eval"), variables)
        if value is not None and not code.rstrip().endswith(";"): say("value", repr(value)[:${maxCharacters}])
    except SystemExit as leaving:
        if leaving.code not in (None, 0): say("error", "SystemExit: " + str(leaving.code))
    except BaseException as error:
        say("error", explain(error, code)[-${maxCharacters}:])
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:
            pass

os.chdir("/home/user")
run(sys.stdin.buffer.read().decode())
os._exit(0)
`
