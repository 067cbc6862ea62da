"""The names that checkpoint-ld offers, each with the module that has it: for type checkers, and for `__init__.py`."""

from checkpoint_ld.agents.checkpoint import (
    AgentCheckpoint as AgentCheckpoint,
)
from checkpoint_ld.agents.difference import (
    CheckpointDiff as CheckpointDiff,
    diff_checkpoints as diff_checkpoints,
)
from checkpoint_ld.agents.shapes import (
    detect_shape as detect_shape,
)
from checkpoint_ld.agents.values import (
    About as About,
    Snapshot as Snapshot,
    Thought as Thought,
    ToolCall as ToolCall,
)
from checkpoint_ld.benchmark import (
    Benchmark as Benchmark,
)
from checkpoint_ld.benchmark.difference import (
    SemanticDiff as SemanticDiff,
    semantic_diff as semantic_diff,
)
from checkpoint_ld.benchmark.overview import (
    Verdict as Verdict,
)
from checkpoint_ld.benchmark.table_import import (
    extract_questions_from_file as extract_questions_from_file,
)
from checkpoint_ld.checkpointing import (
    Checkpointer as Checkpointer,
    CheckpointManager as CheckpointManager,
    Imported as Imported,
    Policy as Policy,
    Pruned as Pruned,
    Restored as Restored,
    Retention as Retention,
    Run as Run,
    Saved as Saved,
)
from checkpoint_ld.entities.json_schemas import (
    json_schema as json_schema,
)
from checkpoint_ld.errors import (
    AuthFailedError as AuthFailedError,
    BadKeyError as BadKeyError,
    BadSignatureError as BadSignatureError,
    CheckpointExists as CheckpointExists,
    CheckpointLdError as CheckpointLdError,
    CheckpointNotFound as CheckpointNotFound,
    CheckpointWarning as CheckpointWarning,
    CountMismatchError as CountMismatchError,
    DatabaseSyncError as DatabaseSyncError,
    EvaluationError as EvaluationError,
    FindingsError as FindingsError,
    FindingsWarning as FindingsWarning,
    GraphSyncError as GraphSyncError,
    IntegrityError as IntegrityError,
    InvalidCheckpoint as InvalidCheckpoint,
    LookupFailedError as LookupFailedError,
    NotVerifiableError as NotVerifiableError,
    QueryError as QueryError,
    QueryFailedError as QueryFailedError,
    ReadError as ReadError,
    ServerRefusedError as ServerRefusedError,
    ServerUnreachableError as ServerUnreachableError,
    SettingsError as SettingsError,
    ShapeError as ShapeError,
    ShapesError as ShapesError,
    SourceMissingError as SourceMissingError,
    StoreBusyError as StoreBusyError,
    ShapesWarning as ShapesWarning,
    StoredCodeWarning as StoredCodeWarning,
    StoreError as StoreError,
    StoreFull as StoreFull,
    TargetExistsError as TargetExistsError,
    TruncatedResultError as TruncatedResultError,
    UnsupportedVersion as UnsupportedVersion,
    WriteError as WriteError,
    WrongTypeError as WrongTypeError,
)
from checkpoint_ld.families import (
    load as load,
    validate as validate,
)
from checkpoint_ld.families.identity import (
    fingerprint as fingerprint,
    sign as sign,
    verify_signature as verify_signature,
)
from checkpoint_ld.families.merging import (
    Conflict as Conflict,
    Merge as Merge,
    merge as merge,
)
from checkpoint_ld.findings import (
    Finding as Finding,
    Place as Place,
    Severity as Severity,
)
from checkpoint_ld.graph.checkpoint_graph import (
    CheckpointGraph as CheckpointGraph,
)
from checkpoint_ld.graph.emission import (
    ContextStyle as ContextStyle,
)
from checkpoint_ld.header import (
    Header as Header,
    read_header as read_header,
)
from checkpoint_ld.integrations.formats import (
    export_benchmark as export_benchmark,
)
from checkpoint_ld.integrations.formats.importing import (
    ImportedBenchmark as ImportedBenchmark,
    import_benchmark as import_benchmark,
)
from checkpoint_ld.agents.changes import (
    Clock as Clock,
    Event as Event,
)
from checkpoint_ld.agents.state import (
    RuntimeState as RuntimeState,
)
from checkpoint_ld.site import (
    write_site as write_site,
)
from checkpoint_ld.sparql import (
    QueryResult as QueryResult,
)
from checkpoint_ld.stores.collection import (
    Collection as Collection,
)
from checkpoint_ld.stores.database import (
    DatabaseStore as DatabaseStore,
)
from checkpoint_ld.stores.files import (
    FileStore as FileStore,
)
from checkpoint_ld.stores.graphs import (
    GraphStore as GraphStore,
)
from checkpoint_ld.stores.protocol import (
    CheckpointStore as CheckpointStore,
    Filter as Filter,
)
from checkpoint_ld.templates.verification import (
    FieldResult as FieldResult,
    VerificationResult as VerificationResult,
    judge_schema as judge_schema,
    verify as verify,
)
from checkpoint_ld.validation.profiles import (
    shapes_graph as shapes_graph,
)
from checkpoint_ld.validation.results import (
    Checked as Checked,
    Report as Report,
)
from checkpoint_ld.workers.trusted import (
    Trust as Trust,
)
