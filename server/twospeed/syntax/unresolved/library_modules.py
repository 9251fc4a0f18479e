"""Modules of standard libraries, and unambiguous names in them. Data only."""

from __future__ import annotations

_GO = (
    "bufio bytes cmp context errors flag fmt io iter log maps math os path reflect regexp runtime slices sort strconv "
    "strings sync time unicode archive/zip compress/gzip container/heap container/list crypto/hmac crypto/md5 "
    "crypto/sha1 crypto/sha256 database/sql encoding/base64 encoding/binary encoding/csv encoding/hex encoding/json "
    "encoding/xml io/fs log/slog math/big math/bits net/http net/netip net/url os/exec os/signal path/filepath "
    "sync/atomic text/tabwriter unicode/utf8"
)
GO_MODULES = {path.rpartition("/")[2]: path for path in _GO.split()}
"""Packages by the name that code uses, from pkg.go.dev/std. Names of two packages (``rand``, ``template``,
``scanner``) are left out."""

GO_PACKAGES = frozenset(GO_MODULES)

_NODE = (
    "assert child_process cluster dgram dns fs http http2 https net os path querystring readline tls util vm "
    "worker_threads zlib"
)
NODE_MODULES = frozenset(_NODE.split())
"""From ``require("node:module").builtinModules``, without modules that are globals in browsers or Node, or
whose names are common words."""

_NODE_OTHERS = (
    "async_hooks buffer console constants crypto diagnostics_channel domain events inspector module perf_hooks process "
    "punycode repl stream string_decoder timers tty url v8"
)
NODE_BUILTINS = NODE_MODULES.union(_NODE_OTHERS.split())
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

_RUST = {
    "std::borrow": "Cow",
    "std::cell": "Cell RefCell",
    "std::collections": "BTreeMap BTreeSet BinaryHeap HashMap HashSet VecDeque",
    "std::ffi": "OsStr OsString",
    "std::marker": "PhantomData",
    "std::path": "PathBuf",
    "std::rc": "Rc",
    "std::str": "FromStr",
    "std::sync": "Arc OnceLock",
    "std::sync::atomic": "AtomicBool AtomicI32 AtomicI64 AtomicU32 AtomicU64 AtomicUsize",
}
_JAVA = {
    "java.io": "BufferedReader File IOException InputStream InputStreamReader OutputStream UncheckedIOException",
    "java.math": "BigDecimal BigInteger",
    "java.nio.charset": "StandardCharsets",
    "java.nio.file": "Files Paths",
    "java.time": "Duration Instant LocalDate LocalDateTime ZoneId ZonedDateTime",
    "java.util": (
        "ArrayDeque ArrayList Arrays Collection Collections Comparator Deque EnumMap HashMap HashSet Iterator "
        "LinkedHashMap LinkedHashSet LinkedList List Map Objects Optional PriorityQueue Set TreeMap TreeSet UUID"
    ),
    "java.util.concurrent": "CompletableFuture ConcurrentHashMap ExecutorService Executors TimeUnit",
    "java.util.concurrent.atomic": "AtomicBoolean AtomicInteger AtomicLong AtomicReference",
    "java.util.function": "BiConsumer BiFunction Consumer Function Predicate Supplier UnaryOperator",
    "java.util.stream": "Collectors IntStream Stream",
}
_C = {
    "assert.h": "assert",
    "ctype.h": "isalnum isalpha isdigit isspace isupper tolower toupper",
    "errno.h": "errno",
    "math.h": "ceil fabs floor fmod pow sqrt",
    "stdint.h": "int16_t int32_t int64_t int8_t uint16_t uint32_t uint64_t uint8_t",
    "stdio.h": "fclose fflush fgets fopen fprintf fputs perror printf puts snprintf sscanf",
    "stdlib.h": "atoi calloc free malloc qsort realloc strtol strtoul",
    "string.h": "memcmp memcpy memmove memset strcat strchr strcmp strcpy strlen strncmp strncpy strstr strtok",
}
_CPP = {
    "algorithm": "all_of any_of copy_if count_if find_if none_of remove_if sort transform",
    "array": "array",
    "atomic": "atomic",
    "deque": "deque",
    "fstream": "ifstream ofstream",
    "functional": "function",
    "iostream": "cerr cin cout",
    "limits": "numeric_limits",
    "map": "map multimap",
    "memory": "make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "lock_guard mutex unique_lock",
    "numeric": "accumulate iota",
    "optional": "nullopt optional",
    "queue": "priority_queue queue",
    "set": "multiset set",
    "sstream": "istringstream ostringstream stringstream",
    "string": "string to_string",
    "string_view": "string_view",
    "thread": "thread",
    "tuple": "make_tuple tuple",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "variant": "variant",
    "vector": "vector",
}


def _statements(form: str, modules: dict[str, str]) -> dict[str, str]:
    return {
        name: form.format(module=module, name=name)
        for module, names in modules.items()
        for name in names.split()
    }


LIBRARY_IMPORTS = {
    "rust": _statements("use {module}::{name};", _RUST),
    "java": _statements("import {module}.{name};", _JAVA),
    "c": _statements("#include <{module}>", _C),
    "cpp": _statements("#include <{module}>", _CPP),
}
"""The import of each name that has one usual meaning, by language. Names that popular libraries also define
(``Mutex``, ``Instant`` of Rust, ``Date`` of Java) are left out. Those of C++ are in ``std``."""
