"""Modules of standard libraries, and unambiguous names in them. Data only."""

from __future__ import annotations

GO_MODULES = {
    path.rpartition("/")[2]: path
    for path in (
        *(
            "bufio",
            "bytes",
            "cmp",
            "context",
            "errors",
            "flag",
            "fmt",
            "io",
            "iter",
            "log",
            "maps",
            "math",
            "os",
        ),
        *(
            "path",
            "reflect",
            "regexp",
            "runtime",
            "slices",
            "sort",
            "strconv",
            "strings",
            "sync",
            "time",
            "unicode",
        ),
        *(
            "encoding/base64",
            "encoding/binary",
            "encoding/csv",
            "encoding/hex",
            "encoding/json",
            "encoding/xml",
        ),
        *(
            "net/http",
            "net/url",
            "os/exec",
            "os/signal",
            "path/filepath",
            "sync/atomic",
            "unicode/utf8",
            "log/slog",
        ),
        *(
            "crypto/sha256",
            "crypto/sha1",
            "crypto/md5",
            "crypto/hmac",
            "math/big",
            "math/bits",
            "net/netip",
            "io/fs",
        ),
        *(
            "container/list",
            "container/heap",
            "text/tabwriter",
            "database/sql",
            "archive/zip",
            "compress/gzip",
        ),
    )
}
"""Packages by the name that code uses, from pkg.go.dev/std. Names of two packages (``rand``, ``template``,
``scanner``) are left out."""

GO_PACKAGES = frozenset(GO_MODULES)

NODE_MODULES = frozenset(
    {
        *(
            "assert",
            "child_process",
            "cluster",
            "dgram",
            "dns",
            "fs",
            "http",
            "http2",
            "https",
            "net",
            "os",
            "path",
        ),
        *("querystring", "readline", "tls", "util", "vm", "worker_threads", "zlib"),
    }
)
"""From ``require("node:module").builtinModules``, without modules that are globals in browsers or Node, or
whose names are common words."""

NODE_BUILTINS = NODE_MODULES | {
    *("async_hooks", "buffer", "console", "constants", "crypto", "diagnostics_channel", "domain", "events"),
    *("inspector", "module", "perf_hooks", "process", "punycode", "repl", "stream", "string_decoder"),
    *("timers", "tty", "url", "v8"),
}
"""All modules of Node, from ``require("node:module").builtinModules``."""

PYTHON_NAMES = {
    name: module
    for module, names in {
        "abc": "ABC abstractmethod",
        "collections": "ChainMap Counter OrderedDict defaultdict deque namedtuple",
        "collections.abc": (
            "AsyncIterator Awaitable Callable Collection Coroutine Generator Hashable Iterable Iterator Mapping "
            "MutableMapping MutableSequence Sequence"
        ),
        "contextlib": "AsyncExitStack ExitStack asynccontextmanager closing contextmanager nullcontext suppress",
        "dataclasses": "asdict astuple dataclass",
        "datetime": "timedelta timezone",
        "decimal": "Decimal",
        "enum": "Enum IntEnum IntFlag StrEnum",
        "fractions": "Fraction",
        "functools": "cached_property lru_cache partial reduce singledispatch total_ordering wraps",
        "io": "BytesIO StringIO",
        "operator": "attrgetter itemgetter methodcaller",
        "pathlib": "Path PurePath PurePosixPath",
        "types": "MappingProxyType SimpleNamespace",
        "typing": (
            "Annotated Any ClassVar Final Generic Literal NamedTuple NoReturn Optional ParamSpec Protocol Self "
            "TYPE_CHECKING TypeAlias TypeVar TypedDict Union cast overload"
        ),
    }.items()
    for name in names.split()
}
"""Names that are usually imported from one module of the standard library and have no other meaning."""
