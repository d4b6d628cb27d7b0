import type { ChatImport } from "../../../shared/contract/chat-imports.ts"
import type { Generated } from "kysely"
import type { Notify, RunStatus, Trigger } from "../../../shared/contract/automations.ts"
import type { FilePhase, FileStatus } from "../../../shared/contract/files.ts"
import type { FolderRemote, Strategy, Visibility } from "../../../shared/contract/folders.ts"
import type {
  ApprovalReason,
  FinishReason,
  Reading,
  Role,
  StreamStatus,
} from "../../../shared/contract/chat.ts"
import type { Origin } from "../../../shared/contract/conversations.ts"
import type { DeletionKind } from "../../../shared/contract/deletions.ts"
import type { Category } from "../../../shared/contract/notification-categories.ts"
import type { AuditAction, AuditEntry, AuditOutcome } from "../../../shared/contract/audit-log.ts"
import type { ServerState } from "../../../shared/contract/model-servers.ts"
import type { Notification } from "../../../shared/contract/notifications.ts"
import type { FilingAction, HistoryStep } from "../../../shared/contract/filing.ts"
import type { Question } from "../../../shared/contract/questions.ts"
import type { EgressOutcome, EgressPurpose } from "../../../shared/contract/privacy.ts"
import type { OutboxState } from "../../../shared/contract/support.ts"
import type { TicketStatus, TicketType } from "../../../shared/contract/tickets.ts"

/** Tables of the box as Kysely sees them; `migrations/` creates them. Booleans are 0 or 1, times ISO 8601 text. */
export interface DatabaseSchema {
  /** `disabledAt`: when the user was disabled; null if the user can sign in. */
  users: {
    id: string
    email: string
    name: string
    createdAt: string
    disabledAt: Generated<string | null>
  }
  workspaces: { id: string; name: string; createdAt: string }
  memberships: { workspaceId: string; userId: string; role: "owner" | "member" }
  /** The latest calls made with each key. */
  keyCalls: {
    number: Generated<number>
    keyId: string
    at: string
    method: string
    route: string
    status: number
    ms: number
    ip: string | null
  }
  apiKeys: {
    id: string
    userId: string
    name: string
    kind: "box" | "embedded"
    /** JSON array of scopes; null means full rights. */
    scopes: string | null
    hint: string
    hash: Buffer
    createdAt: string
    lastUsedAt: string | null
    /** 1: the key comes from a restored backup, and no owner has confirmed it. */
    held: Generated<number>
  }
  sessions: {
    id: string
    userId: string
    hash: Buffer
    secretHash: Buffer
    createdAt: string
    expiresAt: string
    /** ID token of the provider that signed the user in; null: a link did. */
    idToken: Generated<string | null>
  }
  signInTokens: { hash: Buffer; userId: string; expiresAt: string; idToken: Generated<string | null> }
  /** Users' identities at OpenID Connect providers. */
  providerAccounts: { issuer: string; subject: string; userId: string; createdAt: string }
  /** Settings of the box; each value is JSON. */
  settings: { key: string; value: string }
  /** Settings of a single user; each value is JSON. */
  userSettings: { userId: string; key: string; value: string }

  notifications: {
    id: string
    userId: string
    title: string
    description: string
    preview: string | null
    type: Notification["type"]
    category: Category
    deepLink: string | null
    chatId: string | null
    /** JSON of a `Sender`. */
    sender: string
    read: number
    seen: number
    muted: number
    silent: number
    silentToast: number
    /** The user who sent it; null for the box itself. */
    senderId: string | null
    /** Unique per recipient and sender. */
    dedupeKey: string | null
    metadata: string | null
    /** JSON of `BoxNews`; null for notifications from others. */
    news: string | null
    /** JSON of a `ToldQuestion`; null for notifications without a question. */
    question: string | null
    /** When it is shown again; null: it isn't snoozed. */
    snoozedUntil: string | null
    createdAt: string
    notifiedAt: string
  }
  /** Number of a user's notifications of each kind; maintained by triggers, read only. */
  notificationCounts: { userId: string; category: Category; read: number; muted: number; amount: number }

  folders: {
    id: string
    ownerId: string
    name: string
    description: string
    /** Absolute for a user's directory. Relative to the data directory for one that the box created (`storedPath`). */
    path: string
    /** Path of a watched directory of a restored backup until an owner turns it on; `path` is unusable until then. */
    heldPath: Generated<string | null>
    /** 1: the box created the directory and owns its contents; 0: a user's directory that is watched. */
    managed: number
    /** Device of a watched directory at its last scan; the inode is null before the first scan. */
    device: string | null
    inode: string | null
    topK: number
    filter: number
    strategy: Strategy
    pipeline: "full" | "light"
    /** Whether remote models may read it. */
    remote: Generated<FolderRemote>
    visibility: Visibility
    iconName: string | null
    accentColor: string | null
    paused: number
    /** 1: search, chat and whole reading include files that a model wrote. */
    includeGenerated: Generated<number>
    /** The owner's chat whose attachments the folder holds; such a folder isn't listed. */
    chatId: string | null
    /** 1: the folder is deleted, but some of its contents remain. */
    removed: number
    createdAt: string
    updatedAt: string
  }
  /** Reports to support, waiting or sent. */
  supportTickets: {
    id: string
    ownerId: string
    state: OutboxState
    type: TicketType
    title: string
    description: string
    /** JSON of an `OutboxProblem`. */
    problem: string | null
    attempts: number
    /** Null: it isn't retried automatically. */
    nextAttemptAt: string | null
    /** ID at the auth service; set, like `status`, when the report is sent. */
    ticketId: string | null
    status: TicketStatus | null
    statusChangedAt: string | null
    createdAt: string
    sentAt: string | null
    /** JSON that the box adds to `context`. */
    context: string
    /** JSON of a `SupportDraft`, with megabytes of images; null when the report is sent. */
    draft: string | null
  }
  /** Connections that left this computer or were blocked. Entries outlive the users and items that they name. */
  egress: {
    /** UUIDv7: sorts by start time. */
    id: string
    startedAt: string
    durationMs: number | null
    purpose: EgressPurpose
    host: string
    outcome: EgressOutcome
    bytesSent: number | null
    bytesReceived: number | null
    userId: string | null
    chatId: string | null
    assistantId: string | null
    tool: string | null
  }
  /**
   * Actions and the users who performed them. Entries outlive the users and items that they name. Only an entry that is `begun` is updated,
   * with its end.
   */
  auditLog: {
    /** UUIDv7: sorts by start time. */
    id: string
    at: string
    actorId: string | null
    actorName: string | null
    actorEmail: string | null
    via: AuditEntry["via"]
    keyId: string | null
    keyName: string | null
    keyPrefix: string | null
    action: AuditAction
    subjectId: string | null
    subjectName: string | null
    details: string
    requestId: string | null
    outcome: AuditOutcome
  }

  files: {
    id: string
    folderId: string
    name: string
    /** Path inside the folder with `/` between names; empty at the top level. */
    subFolder: string
    /** The name as `search` compares it: lower case, NFC. */
    searchName: string
    /** Sort key for names: `searchName`, with each number's length in front of it. */
    nameOrder: string
    size: number
    /** Modification time of the file on disk, in milliseconds since 1970. */
    modifiedMs: number
    /** Inode and creation time, which stay the same when a file is renamed. */
    identity: string
    /** When the file on disk, its name or its permissions last changed; null if unknown. */
    changedMs: number | null
    /** SHA-256 of the bytes that the text was extracted from; null until the file is indexed. */
    contentHash: string | null
    mimeType: string
    storage: "local" | "cloud"
    /** Key of its bytes on an object store; null: they are in the folder's directory. */
    object: string | null
    status: FileStatus
    phase: FilePhase
    progress: number
    error: string | null
    note: string | null
    /** JSON of the `FileReason`s behind `error` or `note`. */
    reasons: string | null
    attempts: number
    /** Counts changes of the content: an indexing result of an older revision is discarded. */
    revision: number
    /** Higher values are processed first: an uploaded file before a directory scan. */
    priority: number
    /** JSON of `WaitingPages` while scanned pages wait for OCR and all other text is searchable. */
    waitingPages: string | null
    /** A queued file isn't tried before this time. */
    retryAt: string | null
    /** Version of the chunker that created its passages. */
    chunker: number
    /** Revision of the indexed content that was passed to automations; 0: none. It changes only when the bytes change. */
    arrivedRevision: Generated<number>
    /** SHA-256 of the content of that revision; null if an earlier version didn't compute it; empty: any content is new. */
    arrivedHash: string | null
    /** JSON of `StoredPage` if the file is a copy of a web page. */
    webPage: string | null
    /** When that page is fetched again; null: never. */
    refreshAt: string | null
    /** JSON array of texts; null: none. */
    tags: string | null
    /** 1: its owner excluded it from the index, even if its bytes change. */
    leftOut: number
    /** JSON of a `GeneratedBy` if a model wrote the file; null: a person wrote it, or the author is unknown. */
    generatedBy: string | null
    createdAt: string
    updatedAt: string
  }
  /** Original locations of deleted files. `id` belongs to the trash, which may have lost the files in the meantime. */
  trashedFiles: {
    id: string
    /** User who deleted it. */
    userId: string
    folderId: string
    subFolder: string
    name: string
    size: number
    deletedAt: string
    /** Key of its bytes on an object store; null: they are in the trash's directory. */
    object: string | null
    /** Set if there is an object: the file's modification time. */
    modifiedMs: number | null
    /** The file's value before it was deleted. */
    generatedBy: Generated<string | null>
  }
  /** View of the keys of all objects that rows refer to. */
  usedObjects: { object: string }
  /** Keys of objects that may have no row: new ones, until a row refers to them, and those that a row referred to. */
  unusedObjects: {
    object: string
    /** When it was first noticed that no row refers to it; null until then. */
    noticedAt: string | null
    /** 1: a row may be about to refer to it for the first time. */
    isNew: Generated<number>
  }
  /** Number of a folder's files with each status; maintained by triggers, read only. */
  fileCounts: { folderId: string; status: FileStatus; amount: number }
  /** Total bytes of a folder's files; maintained by triggers, read only. */
  folderSizes: { folderId: string; bytes: number }
  /** Limits. For a person, -1 means no limit, and null means that the limit for everybody applies, whose `id` is empty. */
  quotas: {
    kind: "everybody" | "person" | "workspace"
    id: string
    files: number | null
    bytes: number | null
    answers: number | null
    tokens: number | null
  }
  /** A user's usage on a day (UTC). */
  dailyUse: { userId: string; day: string; answers: number; tokens: number }
  /** Files that search finds by name; maintained by triggers together with the words of each name, read only. */
  namedFiles: { id: number; fileId: string }
  /** Drives that are mounted below watched directories, with their relative paths. */
  folderMounts: { folderId: string; path: string; device: string }
  /** Files that are being replaced under another name, or deleted (`toName` is null). */
  unfinishedChanges: {
    fileId: string
    subFolder: string
    fromName: string
    toName: string | null
    /** Fingerprints of the files with the old and the new name; null if there is none, or an earlier version started the change. */
    fromFile: string | null
    toFile: string | null
  }
  /** Deleted files that are being restored, with the name in their sub-folder and the fingerprint that their bytes get. */
  returningFiles: { fileId: string; name: string; file: string }
  /**
   * Extracted text in pieces, so that nothing is parsed twice. Each piece is a zstd-compressed JSON array of blocks. `characters` excludes
   * blank blocks; null: an older version of the box didn't count them.
   */
  fileTexts: { fileId: string; position: number; blocks: Buffer; characters: number | null }
  /** Only passages of a file that is `completed`, or has `waitingPages`, are searchable. */
  passages: { id: string; fileId: string; position: number; text: string; location: string }
  /** Little-endian 32-bit floats of unit length. */
  passageEmbeddings: { passageId: string; modelId: string; vector: Buffer }

  assistants: {
    id: string
    ownerId: string
    name: string
    /** Case-folded, for search. */
    foldedName: string
    handle: string
    description: string
    instructions: string
    visibility: Visibility
    /** JSON, like `builtInTools` and `suggestions`. */
    vectorIds: string
    builtInTools: string
    permissionMode: "auto" | "ask" | "bypass"
    icon: string | null
    color: string | null
    customImage: string | null
    suggestions: string
    modelId: string | null
    enabled: number
    /** 1: deleted, but the deletion can still be undone. */
    removed: number
    createdAt: string
    updatedAt: string
  }

  /** Facts that assistants remember about their user. */
  memories: {
    id: string
    ownerId: string
    text: string
    /** Case-folded, for search. */
    foldedText: string
    createdAt: string
    updatedAt: string
  }

  conversations: {
    ownerId: string
    /** Chosen by the caller; unique per owner. */
    id: string
    title: string
    /** The case-folded title, for search. */
    foldedTitle: string
    origin: Origin
    vectorIds: string
    assistantId: string | null
    /** Model of the newest question, if it named one. */
    modelId: string | null
    /** JSON, as for an assistant: the tools of the newest question that was asked without an assistant. */
    builtInTools: Generated<string>
    /** JSON array of the folders that the chat has read. */
    readVectorIds: Generated<string>
    /** 1: the chat has read a folder that no remote model may read. */
    staysHere: Generated<number>
    /** 1: the chat started as a dry run. */
    dryRun: Generated<number>
    projectId: string | null
    /** The deleted project that the chat was in, while the project can be restored. */
    removedProjectId: Generated<string | null>
    /** The last import that added something to the chat. */
    importId: Generated<string | null>
    /** Newest message of the current branch. */
    headId: string | null
    messageCount: number
    pinned: Generated<number>
    /** 1: the chat was deleted and is hidden from everyone; its contents are removed next. */
    removed: Generated<number>
    streamStatus: Exclude<StreamStatus, "not_found">
    streamStartedAt: string | null
    streamActivityAt: string | null
    /** 1: its owner must be notified that its answer ended. */
    untold: Generated<number>
    /** 1: its owner hasn't read its newest answer. */
    unread: Generated<number>
    createdAt: string
    updatedAt: string
  }
  /** Number of an owner's chats of each kind that aren't deleted; maintained by triggers, read only. */
  conversationCounts: { ownerId: string; origin: Origin; pinned: number; amount: number }
  /** A tree: a changed history starts a sibling, so earlier branches stay readable. */
  messages: {
    id: string
    ownerId: string
    conversationId: string
    parentId: string | null
    depth: number
    role: Role
    content: string
    parts: string
    attachments: string | null
    /** For a question: JSON of the `AskedFile`s that it names; null: none. */
    askedFiles: string | null
    /** For a question: JSON of the `FactTable` that it requests; null: none. */
    factTable: string | null
    finishReason: FinishReason | null
    /** JSON of a `Usage`. */
    usage: string | null
    /** Name of the model that wrote this answer. */
    model: string | null
    /** For an answer. */
    assistantId: string | null
    /**
     * For an answer: JSON of the labels of the content that its model had read; null if they weren't stored. For a question: not null if it
     * was imported.
     */
    readLabels: string | null
    /** For a question: JSON array of texts by others that it contains; null: the whole question is the user's own. */
    quoted: string | null
    createdAt: string
  }
  /** Stored pieces of answers that are being written, oldest first. Each is a JSON array of the parts since the previous piece. */
  answerPieces: { id: Generated<number>; messageId: string; parts: string }
  /** Messages that search can find, newest last; maintained by triggers together with each message's words, read only. */
  searchedMessages: { id: number; ownerId: string; conversationId: string; messageId: string }
  /** Why an answer is based on its passages. */
  retrievals: {
    messageId: string
    query: string
    strategy: Strategy
    /** JSON array of passages, without the data that is read from their files. */
    candidates: string
  }
  /** Tool calls that wait, or waited, for their owner's approval. */
  approvals: {
    messageId: string
    toolCallId: string
    ownerId: string
    chatId: string
    toolName: string
    /** JSON. */
    args: string
    /** Hash of the tool's name and the arguments: the approval applies to nothing else. */
    fingerprint: string
    /**
     * Identity of the tool (`Tool.identity`), so that the approval doesn't apply to another tool with the same name; empty if there is
     * none.
     */
    identity: string
    reasonCode: ApprovalReason
    reason: string
    /** JSON of a `SentenceBody` that `reason` is made from; null in approvals of older versions. */
    sentence: string | null
    /** JSON of an `ApprovalDelegation`; null if the chat's own assistant asks. */
    delegation: string | null
    state: "waiting" | "allowed" | "denied" | "expired"
    createdAt: string
    expiresAt: string
  }
  /** Turns that resume after their approvals are answered; JSON of a `ParkedTurn`. */
  parkedTurns: { messageId: string; ownerId: string; chatId: string; turn: string }
  /**
   * Turns that are being written and that another box may resume; JSON of a `UnfinishedTurn` and a `UnfinishedTurnProgress`. `attempts` counts the boxes
   * that resumed a turn.
   */
  begunTurns: { messageId: string; turn: string; progress: string; attempts: Generated<number> }
  /** Tools that their owner allowed for the rest of a chat. */
  rememberedTools: { ownerId: string; chatId: string; toolName: string; identity: string }
  /** Imports of chats from other programs; `skipped` and `found` are JSON. */
  chatImports: {
    id: string
    ownerId: string
    status: ChatImport["status"]
    chats: Generated<number>
    messages: Generated<number>
    known: Generated<number>
    done: Generated<number>
    skippedCount: Generated<number>
    skipped: Generated<string>
    found: string | null
    createdAt: string
    endedAt: string | null
  }
  /** Instructions, folders and assistants for related chats. */
  projects: {
    id: string
    ownerId: string
    name: string
    instructions: string
    /** JSON array. */
    vectorIds: string
    assistantId: string | null
    /** 1: deleted, but can be restored. */
    removed: Generated<number>
    createdAt: string
    /** 1: a key with scopes was the last to change the instructions, folders or assistant. */
    writtenByScopedKey: Generated<number>
  }
  /** Queued questions, ordered within each chat by `number`. */
  questions: {
    id: string
    ownerId: string
    /** ID of the API key or the session that asked. */
    askedWith: string
    title: string
    description: string
    /** JSON array of texts. */
    choices: string
    defaultChoice: string | null
    status: Question["status"]
    answer: string | null
    answeredAt: string | null
    expiresAt: string
    createdAt: string
  }
  /** Changes to files' names, locations and tags. */
  filings: {
    id: string
    ownerId: string
    action: FilingAction
    /** `moving` and `undoing`: the file is in no folder, and `taken` holds its location. */
    status: "moving" | "done" | "undoing" | "undone"
    fileId: string
    besideId: string | null
    /** JSON of a `FiledAs`; null for a note. */
    was: string | null
    /** JSON of a `FiledAs`. */
    became: string
    taken: string | null
    chatId: string | null
    /** ID of the call, with a hash of its request: remote models reuse IDs. */
    callKey: string | null
    createdAt: string
    undoneAt: string | null
  }
  /** Steps in the history of files. */
  fileHistory: {
    number: Generated<number>
    fileId: string
    step: HistoryStep
    /** Each step is stored once. */
    stepKey: string
    at: string
    /** JSON of the additional details of a `HistoryEntry`. */
    detail: string
  }
  automations: {
    id: string
    ownerId: string
    name: string
    enabled: number
    /** Kind of its trigger. */
    kind: Trigger["kind"]
    /** JSON of a `Trigger`. */
    trigger: string
    /** Folder whose files it waits for; null: it waits for none, or is disabled. */
    folderId: string | null
    /** SHA-256 of its webhook's token. */
    hookHash: Buffer | null
    assistantId: string | null
    modelId: string | null
    prompt: string
    /** JSON array of ids. */
    vectorIds: string
    reading: Reading
    notify: Notify
    watch: number
    minutes: number
    runsPerDay: number
    /** JSON of the `Asker` whose rights it uses. */
    asker: string
    nextRunAt: string | null
    /** When `nextRunAt` was determined; null: by an earlier version. */
    timedAt: string | null
    /** Number of consecutive failed runs. */
    failures: Generated<number>
    /** JSON of an `ErrorBody`: why the box disabled it. */
    problem: string | null
    /** For a standing question: JSON of the passages that were found last. */
    found: string | null
    /** 1: it was on in a restored backup, and no owner has turned it on since. */
    held: Generated<number>
    createdAt: string
  }
  automationRuns: {
    id: string
    automationId: string
    ownerId: string
    status: RunStatus
    /** JSON of a `Cause`. */
    cause: string
    /** Unique per run of an automation. */
    causeKey: string
    /** Data that was posted to its webhook. */
    input: string | null
    chatId: string | null
    createdAt: string
    startedAt: string | null
    endedAt: string | null
    /** JSON of an `ErrorBody`. */
    error: string | null
    attempt: Generated<number>
    /** 0: its owner must be notified of how it ended. */
    told: Generated<number>
  }
  /** Folders in which indexed files are recorded. */
  awaitedFolders: { folderId: string }
  /** Indexed files, until the automations that wait for them have started. */
  fileArrivals: {
    number: Generated<number>
    folderId: string
    fileId: string
    revision: number
    /** 0: the file was indexed before, with other content. */
    isNew: number
  }
  queuedQuestions: {
    number: Generated<number>
    id: string
    ownerId: string
    chatId: string
    /** The project for a new chat; null: none. */
    projectId: string | null
    content: string
    assistantId: string | null
    modelId: string | null
    /** Null: not specified. */
    reading: Reading | null
    /** JSON of a `FactTable`; null: the answer should be text. */
    factTable: string | null
    /** JSON, as for an assistant; null: not specified. */
    builtInTools: string | null
    /** JSON array of IDs, like `attachments`, where null means the files uploaded since the previous message. */
    vectorIds: string
    attachments: string | null
    /** JSON array of IDs of the files that the question names; null: none. */
    fileIds: string | null
    /** 1: the question also reads files that a model wrote. */
    includeGenerated: Generated<number>
    /** The message that the question follows; empty: it starts the chat; null: the newest message at that time. */
    afterId: string | null
    boxAddress: string
    /** JSON of the `Asker` whose rights it is asked with. */
    asker: string
    /** 1: it doesn't wait for files or approvals. */
    now: Generated<number>
    /** 1: the previous answer was stopped. */
    stopped: Generated<number>
    /** JSON of an `ErrorBody`: why it can't be asked. */
    problem: string | null
    createdAt: string
    /** 1: deleted with its chat, which can still be undone. */
    removed: Generated<number>
    /** Counts changes to the question. */
    revision: Generated<number>
  }
  deletions: {
    number: Generated<number>
    ownerId: string
    kind: DeletionKind
    itemId: string
    /** JSON that the item's feature needs to restore it, or to delete it permanently. */
    kept: string
    /** Hash of the token that undoes it; null: it can't be undone any more. */
    tokenHash: Buffer | null
    until: string
  }
  /** Files that tools created in a chat. */
  chatFiles: {
    id: string
    ownerId: string
    chatId: string
    name: string
    mediaType: string
    size: number
    createdAt: string
    /** Key of its bytes on an object store; null: they are in the chat's directory. */
    object: string | null
  }
  /** Models' notes about parts of files, for a question. */
  readNotes: {
    id: Generated<number>
    /** Hash of the model, the question and the part's text. */
    hash: Buffer
    /** The model, and which of its contexts. */
    model: string
    /** Hash of the question. */
    question: Buffer
    /** JSON array of a part's `Note`s. */
    notes: string
    /** Length of the part's text, and how long it took to read. */
    characters: number
    milliseconds: number
    /** Total tokens sent to the model; null if its server doesn't report them. */
    tokens: number | null
    usedAt: string
  }
  /** The files that a note is based on; a trigger deletes the note with the first of them. */
  readNoteFiles: { fileId: string; noteId: number }
  /** Integrations and MCP servers that a user configured or connected. */
  toolServers: {
    ownerId: string
    key: string
    name: string
    /** JSON of a `ServerTarget`, or of null if the catalogue's target applies. */
    target: string
    linkedAt: string | null
    /** 1: its provider no longer accepts the sign-in. */
    signedOut: number
    /** JSON of the definitions that the user approved. */
    approved: string
    /** JSON of what the server offered at the last request. */
    offer: string
    /** JSON array of the tools that the user marked as read-only. */
    readTools: string
    createdAt: string
    /** JSON array of the tools that the user disabled. */
    offTools: string
    /** 1: it was connected in a restored backup, and no owner has turned it on since. */
    held: Generated<number>
  }
  /** Remote servers whose models the box uses. */
  modelServers: {
    id: string
    name: string
    url: string
    /** JSON array of model names that an owner entered, for a server that doesn't list its own. */
    givenModels: string
    /** JSON of the models that the server reported at the last request. */
    models: string
    state: ServerState
    /** JSON of the sentence that describes the problem. */
    problem: string | null
    createdAt: string
    /** 1: it came with a restored backup, and no owner has turned it on since; its models aren't offered. */
    held: Generated<number>
  }
}
