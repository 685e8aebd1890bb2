"""Short programs that touch what a profiler might change. Each prints what it sees; two runs of one
print the same.
"""

PROGRAMS = {
    "ends": "print('done')",
    "exits 3": "import sys; print('before'); sys.exit(3)",
    "exits with words": "import sys; sys.exit('why it ended')",
    "raises": "def fails(): return 1 / 0\nfails()",
    "raises a group of notes": (
        "error = ValueError('x')\nerror.__cause__ = KeyError('y')\nraise error"
    ),
    "os._exit": "import os; os._exit(7)",
    "dies of SIGKILL": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "dies of SIGSEGV": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "dies of SIGTERM": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "a syntax error": "def broken(:",
    "syntax warning": "x = 1\nprint(x is 1)",
    "warnings": (
        "import warnings\ndef old(): warnings.warn('old', DeprecationWarning, stacklevel=2)\nold();"
        " print('on')"
    ),
    "atexit": "import atexit; atexit.register(print, 'at exit'); print('main')",
    "sys.path": "import sys; print(sys.path, sys.argv, __name__, __file__)",
    "modules": (
        "import sys; print(sorted(m for m in sys.modules if not m.startswith(('laptime',"
        " '_laptime'))) != [])"
    ),
    "__main__": "print(sorted(k for k in globals()), __spec__, __package__)",
    "frames": (
        "import sys, traceback\ndef f(): return [x.name for x in"
        " traceback.extract_stack()]\nprint(f(), sys._getframe().f_back)"
    ),
    "recursion limit": (
        "import sys\ndef f(n):\n    try: return f(n + 1)\n    except RecursionError: return"
        " n\nprint(sys.getrecursionlimit(), f(0) > 900)"
    ),
    "random numbers": (
        "import random; random.seed(1); print([random.random() for _ in range(3)], hash((1, 2)))"
    ),
    "generators": (
        "def g():\n    got = yield 1\n    try: yield got\n    finally: print('closed')\ni = g();"
        " print(next(i), i.send(5)); i.close()"
    ),
    "coroutines": (
        "import asyncio\nasync def f(n):\n    await asyncio.sleep(0)\n    return n\n"
        "async def main(): print(await asyncio.gather(*map(f, range(5))))\nasyncio.run(main())"
    ),
    "an exception in a coroutine": (
        "import asyncio\nasync def f(): raise OSError('no')\nasyncio.run(f())"
    ),
    "threads": (
        "import threading\nout = []\nt = [threading.Thread(target=out.append, args=(i,)) for i in"
        " range(8)]\n[x.start() for x in t]; [x.join() for x in t]; print(sorted(out),"
        " threading.active_count())"
    ),
    "an exception in a thread": (
        "import threading\nt = threading.Thread(target=lambda: 1 / 0, name='worker'); t.start();"
        " t.join(); print('on')"
    ),
    "a daemon thread": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,),"
        " daemon=True).start(); print('over')"
    ),
    "fork": (
        "import os\npid = os.fork()\nif pid == 0:"
        " os._exit(4)\nprint(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    ),
    "fork beside a thread": (
        "import os, threading, warnings\nstop = threading.Event(); t ="
        " threading.Thread(target=stop.wait); t.start()\npid = os.fork()\nif pid == 0:"
        " os._exit(0)\nos.waitpid(pid, 0); stop.set(); t.join(); print('joined')"
    ),
    "subprocess": (
        "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'import sys;"
        " print(sys.argv, sys.flags.isolated)'], capture_output=True, text=True))"
    ),
    "a spawned pool": (
        "import multiprocessing as m\ndef f(x): return x * x\nif __name__ == '__main__':\n    with"
        " m.get_context('spawn').Pool(2) as p: print(p.map(f, range(4)))"
    ),
    "a forked pool": (
        "import multiprocessing as m\ndef f(x): return x * x\nif __name__ == '__main__':\n    with"
        " m.get_context('fork').Pool(2) as p: print(p.map(f, range(4)))"
    ),
    "signal handlers": (
        "import os, signal\nsignal.signal(signal.SIGUSR1, lambda n, f: print('got', n,"
        " f.f_code.co_name))\nos.kill(os.getpid(), signal.SIGUSR1);"
        " print(signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM))"
    ),
    "a timer": (
        "import signal, time\nhits = []\nsignal.signal(signal.SIGALRM, lambda n, f:"
        " hits.append(n)); signal.setitimer(signal.ITIMER_REAL, 0.01)\ntime.sleep(0.1); print(hits)"
    ),
    "settrace": (
        "import sys\nseen = []\ndef t(f, e, a): seen.append((f.f_code.co_name, e)); return t\n"
        "def g(): return 1\nsys.settrace(t); g(); sys.settrace(None); print(seen)"
    ),
    "setprofile": (
        "import sys\nseen = []\ndef g(): return len('x')\nsys.setprofile(lambda f, e, a:"
        " seen.append((f.f_code.co_name, e)))\ng()\nsys.setprofile(None); print(seen)"
    ),
    "cProfile": (
        "import cProfile, pstats, io\ndef g(): return sum(range(10))\np = cProfile.Profile();"
        " p.runcall(g)\ns = pstats.Stats(p); print(s.total_calls, sorted(k[2] for k in s.stats))"
    ),
    "gc": "import gc\nprint(gc.isenabled(), gc.get_threshold(), gc.callbacks)",
    "weak references": (
        "import weakref, gc\nclass C: pass\ndef f():\n    c = C(); return"
        " weakref.ref(c)\nprint(f()())"
    ),
    "excepthook": "import sys\nsys.excepthook = lambda *a: print('hook', a[0].__name__)\n1 / 0",
    "stdin": "import sys; print(repr(sys.stdin.read()))",
    "closed stdout": (
        "import os, sys\nos.close(1)\ntry: print('x'); sys.stdout.flush()\nexcept OSError as e:"
        " print(e.errno, file=sys.stderr)"
    ),
    "chdir and write": (
        "import os\nos.mkdir('other'); os.chdir('other'); open('out.txt', 'w').write('x');"
        " print(sorted(os.listdir('..')) != [])"
    ),
    "umask and modes": (
        "import os\nos.umask(0o27); open('f', 'w').close(); print(oct(os.stat('f').st_mode),"
        " os.umask(0))"
    ),
    "descriptors": "import os\na = os.open('/dev/null', os.O_RDONLY); print(a < 10)",
    "environment": (
        "import os; print(sorted(k for k in os.environ if not k.startswith('LAPTIME') and k not in"
        " ('PYTHONPATH', 'CUDA_INJECTION64_PATH', 'NVTX_INJECTION64_PATH')))"
    ),
    "import of a sibling": "import sibling; print(sibling.value)",
    "json.py beside it": "import sibling, json; print(json.__file__.endswith('json/__init__.py'))",
    "dynamic code": "exec(compile('def f():\\n    return 5\\nprint(f())', '<made>', 'exec'))",
    "pickling of __main__": (
        "import pickle\nclass C:\n    x = 1\nprint(pickle.loads(pickle.dumps(C())).x, C.__module__,"
        " C.__qualname__)"
    ),
    "inspect": (
        "import inspect\ndef f(a, *, b=1): 'doc'\nprint(inspect.signature(f), inspect.getsource(f),"
        " f.__doc__)"
    ),
    "faulthandler": (
        "import faulthandler, sys\nfaulthandler.dump_traceback(file=sys.stdout, all_threads=True)"
    ),
}
