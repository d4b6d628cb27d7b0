/**
 * Attempts to reach the machine from Python: files, the environment, programs, the network, JavaScript. `FILE` is a file
 * outside that holds a secret, `TARGET` one that doesn't exist, `PORT` a server that must not be reached.
 */
export const escapes: readonly string[] = [
  // files
  "print(open(FILE).read())",
  "import os; print(os.listdir(os.path.dirname(FILE)))",
  "import pathlib; print(pathlib.Path('/proc/self/environ').read_bytes())",
  "import os; os.symlink(FILE, 'link'); print(open('link').read())",
  "import os; os.open(FILE, os.O_RDONLY)",
  "import shutil; shutil.copy(FILE, 'copy'); print(open('copy').read())",
  "import glob; print([open(f).read() for f in glob.glob('/tmp/**', recursive=True)])",
  "open(TARGET, 'w').write('x')",
  "import sqlite3; sqlite3.connect(TARGET).execute('create table t(x)')",
  "import mmap, os; f = os.open(FILE, os.O_RDWR); print(mmap.mmap(f, 0)[:])",
  "print(open('/etc/passwd').read())",
  "import linecache; print(linecache.getlines(FILE))",
  "import zipfile; print(zipfile.ZipFile(FILE).namelist())",
  // environment
  "import os; print(dict(os.environ))",
  "import os; print(os.getenv('CASELLA_CANARY'), os.getcwd(), os.getlogin())",
  "import sys; print(sys.argv, sys.executable)",
  // programs
  "import os; print(os.system('echo x > ' + TARGET))",
  "import subprocess; print(subprocess.run(['cat', FILE], capture_output=True))",
  "import os; os.execv('/bin/sh', ['sh', '-c', 'echo x > ' + TARGET])",
  "import os; print(os.fork())",
  "import _posixsubprocess; print(_posixsubprocess.fork_exec)",
  "import multiprocessing; multiprocessing.Process(target=print).start()",
  "import os; print(os.popen('cat ' + FILE).read())",
  "import os; os.posix_spawn('/bin/sh', ['sh', '-c', 'echo x > ' + TARGET], {})",
  "import os, signal; os.kill(os.getppid(), signal.SIGKILL)",
  // network
  "import urllib.request; print(urllib.request.urlopen(f'http://127.0.0.1:{PORT}/').read())",
  "import socket; s = socket.create_connection(('127.0.0.1', PORT)); s.send(b'x'); print(s.recv(99))",
  "import socket; s = socket.socket(); print(s.connect_ex(('127.0.0.1', PORT))); s.send(b'GET / HTTP/1.0\\r\\n\\r\\n')",
  "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('127.0.0.1', PORT))",
  "import http.client; c = http.client.HTTPConnection('127.0.0.1', PORT); c.request('GET', '/'); print(c.getresponse().read())",
  "import ssl, socket; ssl.create_default_context().wrap_socket(socket.create_connection(('127.0.0.1', PORT)))",
  "from pyodide.http import open_url; print(open_url(f'http://127.0.0.1:{PORT}/').read())",
  "from pyodide.http import pyfetch; pyfetch(f'http://127.0.0.1:{PORT}/').send(None)",
  "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); print(s.getsockname())",
  "import socket; print(socket.getaddrinfo('localhost', PORT), socket.gethostname())",
  "import asyncio; asyncio.ensure_future(asyncio.open_connection('127.0.0.1', PORT))",
  "import ftplib; ftplib.FTP().connect('127.0.0.1', PORT)",
  // JavaScript
  "import js; print(js.process.env)",
  "from js import require; print(require('fs').readFileSync(FILE))",
  "import pyodide_js; print(pyodide_js._module)",
  "from pyodide.code import run_js; print(run_js('process.version'))",
  "import importlib, sys; sys.modules.pop('js', None); print(importlib.import_module('js').globalThis)",
  "from _pyodide._importhook import JsFinder, jsfinder; print(jsfinder.jsproxies)",
  "import _pyodide_core; print(dir(_pyodide_core)); _pyodide_core.JsProxy.new",
  `import gc
for each in gc.get_objects():
    if "JsProxy" in str(type(each)):
        for path in ("constructor.constructor", "__proto__.constructor", "toString.constructor"):
            try:
                found = each
                for name in path.split("."): found = getattr(found, name)
                print("made", found("return process.env.CASELLA_CANARY || process.version")())
            except BaseException as error: print(type(error))`,
  `from pyodide.ffi import create_proxy, to_js
proxy = to_js({"a": [1, 2]})
print("made", proxy.constructor.constructor("return this.process || globalThis.process.version")())`,
  `from pyodide.ffi import to_js
proxy = to_js({"a": 1})
proxy.__proto__.polluted = "yes"
print("made", proxy.constructor.prototype.constructor.constructor("return 1")())`,
  `from pyodide.ffi import to_js
try: to_js(object(), dict_converter=lambda entries: print("made", entries.constructor.constructor("return process.version")()))
except BaseException as error: print(error)
to_js({"a": 1}, dict_converter=lambda entries: print("made", entries.constructor.constructor("return process.version")()))`,
  // native code
  "import ctypes; ctypes.CDLL(None).emscripten_run_script(b'globalThis.process.exit(7)')",
  "import ctypes; f = ctypes.CDLL(None).emscripten_run_script_string; f.restype = ctypes.c_char_p; print('made', f(b'process.version'))",
  "import ctypes; ctypes.CDLL(None).emscripten_async_wget(f'http://127.0.0.1:{PORT}/'.encode(), b'/x', 0, 0)",
  "import ctypes; ctypes.CDLL('/lib/x86_64-linux-gnu/libc.so.6')",
  "import ctypes; print(ctypes.CDLL(None).system(b'id'))",
  "import ctypes; print(ctypes.CDLL(None).dlopen(b'/lib/x86_64-linux-gnu/libc.so.6', 2))",
  "import _ctypes; print(_ctypes.dlopen(FILE, 2))",
  "import importlib.machinery as m; m.ExtensionFileLoader('x', FILE).create_module(m.ModuleSpec('x', None, origin=FILE))",
  // the runtime's own file systems
  `import gc
for each in gc.get_objects():
    if "JsProxy" in str(type(each)):
        for name in ("FS", "mountNodeFS", "loadPackage", "_module", "_api", "API"):
            try:
                found = getattr(each, name)
                print(name, "found")
                if name == "FS":
                    found.mkdir("/outside")
                    found.mount(found.filesystems.NODEFS, to_js({"root": "/"}), "/outside")
                    print(open("/outside" + FILE).read())
                if name == "mountNodeFS":
                    found("/outside2", "/")
                    print(open("/outside2" + FILE).read())
            except BaseException as error: print(type(error))`,
  "import micropip",
  "import sys; print(sys._getframe().f_back.f_globals['__builtins__'])",
  "import faulthandler; faulthandler.dump_traceback_later(1, file=open(FILE))",
]

/** One run that makes every attempt from `first` on, until one of them breaks Python itself. */
export function attempt(names: { FILE: string; TARGET: string; PORT: number }, first: number): string {
  return `import json
names = json.loads(${JSON.stringify(JSON.stringify(names))})
for number, code in enumerate(json.loads(${JSON.stringify(JSON.stringify(escapes))})):
    if number < ${first}: continue
    print("#", number)
    try: exec(code, dict(names))
    except BaseException as error: print(type(error).__name__, str(error)[:200])
`
}
