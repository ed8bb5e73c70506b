"""Stand-ins for packages that are not installed, torch and triton above all, good enough to import modules that use them.

`sys.meta_path.append(Finder({"numpy"}))` stands in for all but numpy and Python's own.
"""

import importlib.abc
import importlib.machinery
import sys
import types


class Meta(type):
    def __getattr__(cls, name):
        if name.startswith("__") and name.endswith("__") and name not in ("__version__",):
            raise AttributeError(name)
        if name == "__version__":
            return "99.0.0"
        # triton's name of the device's backend, which modules look up in torch.
        if name == "backend":
            return "cuda"
        made = Meta(name, (StandIn,), {})
        setattr(cls, name, made)
        return made
    def __call__(cls, *args, **kwargs):
        if cls.__dict__.get("_real") or StandIn not in cls.__mro__[:2]:
            return super().__call__(*args, **kwargs)
        if len(args) == 1 and not kwargs and callable(args[0]) and not isinstance(args[0], Meta):
            # What the decorators of torch and triton add to a function.
            code = getattr(args[0], "__code__", None)
            if code is not None:
                args[0].arg_names = list(code.co_varnames[: code.co_argcount])
                args[0].register_fake = args[0].register_autograd = lambda *functions, **keywords: functions[:1]
            return args[0]
        return Meta("made", (StandIn,), {})
    def __iter__(cls): return iter(())
    def __len__(cls): return 0
    def __getitem__(cls, key): return cls
    def __contains__(cls, key): return False
    def __or__(cls, other): return cls
    __ror__ = __and__ = __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __pow__ = __or__
    __rmul__ = __radd__ = __rtruediv__ = __rsub__ = __rpow__ = __mod__ = __neg__or = __or__
    def __lt__(cls, other): return False
    __gt__ = __le__ = lambda cls, other: False
    __ge__ = lambda cls, other: True
    def __bool__(cls): return False
    def __int__(cls): return 0
    __index__ = __int__
    def __float__(cls): return 0.0
    def __str__(cls): return "9.9"
    def __enter__(cls): return cls
    def __exit__(cls, *error): return False
    def __mro_entries__(cls, bases): return (cls,)
    def __format__(cls, spec): return "9"


class StandIn(metaclass=Meta):
    def __init__(self, *args, **kwargs): pass
    def __getattr__(self, name): return getattr(type(self), name)



class Module(types.ModuleType):
    __path__ = []
    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__") and name != "__version__":
            raise AttributeError(name)
        return "99.0.0" if name == "__version__" else getattr(StandIn, name)



class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands in for every top-level package that is neither Python's nor one of `real`."""

    def __init__(self, real):
        self.real = set(real) | set(sys.stdlib_module_names)

    def find_spec(self, full, path=None, target=None):
        if full.partition(".")[0] in self.real:
            return None
        return importlib.machinery.ModuleSpec(full, self, is_package=True)
    def create_module(self, spec):
        return Module(spec.name)
    def exec_module(self, module): pass
