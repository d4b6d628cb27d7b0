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

/** Tables of the box as Kysely sees them; `migrations/` makes them. Booleans are 0 or 1, times ISO 8601 text. */
export interface DatabaseSchema {
  /** `disabledAt`: since when the user can't sign in; null for who can. */
  users: {
    id: string
    email: string
    name: string
    createdAt: string
    disabledAt: Generated<string | null>
  }
  workspaces: { id: string; name: string; createdAt: string }
  memberships: { workspaceId: string; userId: string; role: "owner" | "member" }
  /** The newest calls that were made with each key. */
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
    /** 1: it is from a restored backup, and no owner has confirmed it. */
    held: Generated<number>
  }
  sessions: {
    id: string
    userId: string
    hash: Buffer
    secretHash: Buffer
    createdAt: string
    expiresAt: string
    /** What the provider that signed in said of the person; null: a link did. */
    idToken: Generated<string | null>
  }
  signInTokens: { hash: Buffer; userId: string; expiresAt: string; idToken: Generated<string | null> }
  /** Who people are at OpenID Connect providers. */
  providerAccounts: { issuer: string; subject: string; userId: string; createdAt: string }
  /** Settings of the box, each value JSON. */
  settings: { key: string; value: string }
  /** Settings of one user's own, each value JSON. */
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
    /** Unique for a recipient and a sender. */
    dedupeKey: string | null
    metadata: string | null
    /** JSON of `BoxNews`; null for what others sent. */
    news: string | null
    /** JSON of a `ToldQuestion`; null for what doesn't ask. */
    question: string | null
    /** When it is to come again; null: it isn't put off. */
    snoozedUntil: string | null
    createdAt: string
    notifiedAt: string
  }
  /** How many notifications of each kind a user has; kept by triggers, read only. */
  notificationCounts: { userId: string; category: Category; read: number; muted: number; amount: number }

  folders: {
    id: string
    ownerId: string
    name: string
    description: string
    /** Of a directory of the user's: absolute. Of one that the box made: relative to the data directory (`storedPath`). */
    path: string
    /** Path of a watched directory of a restored backup until an owner turns it on; `path` is unusable until then. */
    heldPath: Generated<string | null>
    /** 1: the box made the directory and owns what is in it; 0: a directory of the user's that is watched. */
    managed: number
    /** Of a watched directory when it was last looked through; the inode is null until then. */
    device: string | null
    inode: string | null
    topK: number
    filter: number
    strategy: Strategy
    pipeline: "full" | "light"
    /** Whether models elsewhere may read it. */
    remote: Generated<FolderRemote>
    visibility: Visibility
    iconName: string | null
    accentColor: string | null
    paused: number
    /** 1: search, chat and whole reading take files that a model wrote. */
    includeGenerated: Generated<number>
    /** The owner's chat whose attachments it holds; such a folder isn't listed. */
    chatId: string | null
    /** 1: it is deleted, but not yet everything that it held. */
    removed: number
    createdAt: string
    updatedAt: string
  }
  /** Reports to support, on their way or sent. */
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
    /** Null: it isn't tried by itself. */
    nextAttemptAt: string | null
    /** Of the auth service; with `status`, once it is sent. */
    ticketId: string | null
    status: TicketStatus | null
    statusChangedAt: string | null
    createdAt: string
    sentAt: string | null
    /** JSON of what the box adds to `context`. */
    context: string
    /** JSON of a `SupportDraft`, with megabytes of pictures; null once it is sent. */
    draft: string | null
  }
  /** Connections that left this computer, or were kept from leaving. It outlives whom and what it names. */
  egress: {
    /** UUIDv7: sorts by the time it began. */
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
  /** What was done, and by whom. It outlives whom and what it names; only an entry that is `begun` gets its end. */
  auditLog: {
    /** UUIDv7: sorts by the time it began. */
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
    /** Path inside the folder with `/` between names; empty at the top. */
    subFolder: string
    /** The name as `search` compares it: lower case, NFC. */
    searchName: string
    /** What names are put in order by: `searchName`, each number with its length before it. */
    nameOrder: string
    size: number
    /** Modification time of the file on disk, milliseconds since 1970. */
    modifiedMs: number
    /** Inode and time of birth: what stays the same when a file is renamed. */
    identity: string
    /** When the file on disk, its name or its rights were changed last; null where that isn't known. */
    changedMs: number | null
    /** SHA-256 of the bytes that the text was read from; null until the file is indexed. */
    contentHash: string | null
    mimeType: string
    storage: "local" | "cloud"
    /** Key of its bytes where they are on an object store; null: they are in the folder's directory. */
    object: string | null
    status: FileStatus
    phase: FilePhase
    progress: number
    error: string | null
    note: string | null
    /** JSON of the `FileReason`s that `error` or `note` is made of. */
    reasons: string | null
    attempts: number
    /** Counts contents: an indexing result of an older revision is thrown away. */
    revision: number
    /** Higher goes first: a file someone just uploaded before a directory scan. */
    priority: number
    /** JSON of `WaitingPages` while scanned pages wait for OCR and all other text can be found. */
    waitingPages: string | null
    /** A queued file isn't tried before. */
    retryAt: string | null
    /** Version of the chunker that cut its passages. */
    chunker: number
    /** Number of contents that were indexed, passed to automations; 0: none. It changes only when the bytes change. */
    arrivedRevision: Generated<number>
    /** SHA-256 of the content with that number; null if an earlier version didn't compute it; empty: any content is new. */
    arrivedHash: string | null
    /** JSON of `StoredPage` where the file is a copy of a web page. */
    webPage: string | null
    /** When that page is fetched again; null: not. */
    refreshAt: string | null
    /** JSON array of texts; null: none. */
    tags: string | null
    /** 1: its owner left it out of the index, whatever its bytes become. */
    leftOut: number
    /** JSON of a `GeneratedBy` if a model wrote the file; null: a person wrote it, or the author is unknown. */
    generatedBy: string | null
    createdAt: string
    updatedAt: string
  }
  /** Where deleted files were; `id` is of the trash, which may have lost them meanwhile. */
  trashedFiles: {
    id: string
    /** Who deleted it. */
    userId: string
    folderId: string
    subFolder: string
    name: string
    size: number
    deletedAt: string
    /** Key of its bytes where they are on an object store; null: they are in the trash's directory. */
    object: string | null
    /** With an object: as of the file. */
    modifiedMs: number | null
    /** Of the file before it was deleted. */
    generatedBy: Generated<string | null>
  }
  /** Keys of objects of which rows tell, whosever they are: a view. */
  usedObjects: { object: string }
  /** Keys of objects of which no row may tell: new ones, until one does, and those that one told of. */
  unusedObjects: {
    object: string
    /** When it was first seen that none does; null until then. */
    noticedAt: string | null
    /** A row may be about to tell of it for the first time. */
    isNew: Generated<number>
  }
  /** How many files of each status a folder has; kept by triggers, read only. */
  fileCounts: { folderId: string; status: FileStatus; amount: number }
  /** How many bytes the files of a folder have; kept by triggers, read only. */
  folderSizes: { folderId: string; bytes: number }
  /** Limits; of a person -1 is none, null what holds for everybody, whose `id` is empty. */
  quotas: {
    kind: "everybody" | "person" | "workspace"
    id: string
    files: number | null
    bytes: number | null
    answers: number | null
    tokens: number | null
  }
  /** What somebody used on a day (UTC). */
  dailyUse: { userId: string; day: string; answers: number; tokens: number }
  /** Files that search knows by name; kept by triggers with the words of each, read only. */
  namedFiles: { id: number; fileId: string }
  /** Drives that are mounted below watched directories, at a relative path. */
  folderMounts: { folderId: string; path: string; device: string }
  /** Files that are being replaced under another name, or deleted: `toName` is null. */
  unfinishedChanges: {
    fileId: string
    subFolder: string
    fromName: string
    toName: string | null
    /** Fingerprints of the files that had, and get, these names; null where none has, or an earlier version began it. */
    fromFile: string | null
    toFile: string | null
  }
  /** Deleted files that are being brought back, with the name in their sub-folder and the fingerprint that their bytes get. */
  returningFiles: { fileId: string; name: string; file: string }
  /**
   * Extracted text in pieces, so that nothing is parsed twice: each a zstd-compressed JSON array of blocks, and its
   * characters without blank blocks; null: an older version of the box didn't count them.
   */
  fileTexts: { fileId: string; position: number; blocks: Buffer; characters: number | null }
  /** Only those of a file that is `completed`, or has `waitingPages`, may be found. */
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
    /** 1: deleted, which can still be undone. */
    removed: number
    createdAt: string
    updatedAt: string
  }

  /** Facts that assistants remember of their user. */
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
    /** Chosen by the caller; unique for its owner. */
    id: string
    title: string
    /** The title without differences of case, for search. */
    foldedTitle: string
    origin: Origin
    vectorIds: string
    assistantId: string | null
    /** Of the newest question, where it named one. */
    modelId: string | null
    /** JSON, like an assistant's: the tools of the newest question that was asked without one. */
    builtInTools: Generated<string>
    /** JSON array of the folders that it has read. */
    readVectorIds: Generated<string>
    /** 1: it has read a folder that no model elsewhere may read. */
    staysHere: Generated<number>
    /** 1: it began as a dry run. */
    dryRun: Generated<number>
    projectId: string | null
    /** The deleted project that it was in, while that can be brought back. */
    removedProjectId: Generated<string | null>
    /** The import that last brought something of it. */
    importId: Generated<string | null>
    /** Newest message of the current branch. */
    headId: string | null
    messageCount: number
    pinned: Generated<number>
    /** It was deleted, and what it held goes next: nobody is shown it any more. */
    removed: Generated<number>
    streamStatus: Exclude<StreamStatus, "not_found">
    streamStartedAt: string | null
    streamActivityAt: string | null
    /** 1: its owner is to be told that its answer ended. */
    untold: Generated<number>
    /** 1: its owner hasn't looked at its newest answer. */
    unread: Generated<number>
    createdAt: string
    updatedAt: string
  }
  /** How many of each kind an owner has that aren't deleted; kept by triggers, read only. */
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
    /** Of a question: JSON of the `AskedFile`s that it names; null: none. */
    askedFiles: string | null
    /** Of a question: JSON of the `FactTable` that it asks for; null: none. */
    factTable: string | null
    finishReason: FinishReason | null
    /** JSON of a `Usage`. */
    usage: string | null
    /** Name of the model that wrote this answer. */
    model: string | null
    /** Of an answer. */
    assistantId: string | null
    /**
     * Of an answer: JSON of the labels of what its model had read; null where nobody kept them. Of a question: not null where it
     * was imported.
     */
    readLabels: string | null
    /** Of a question: JSON array of the texts of others that stand in it; null: it is the user's own. */
    quoted: string | null
    createdAt: string
  }
  /** What is stored of answers that are being written, oldest first: JSON arrays of their parts, each what came since the one before. */
  answerPieces: { id: Generated<number>; messageId: string; parts: string }
  /** Messages that search knows, newest last; kept by triggers with the words of each, read only. */
  searchedMessages: { id: number; ownerId: string; conversationId: string; messageId: string }
  /** Why an answer rests on the passages it does. */
  retrievals: {
    messageId: string
    query: string
    strategy: Strategy
    /** JSON array of passages without what is read from their files. */
    candidates: string
  }
  /** Tool calls that wait, or waited, for their owner's word. */
  approvals: {
    messageId: string
    toolCallId: string
    ownerId: string
    chatId: string
    toolName: string
    /** JSON. */
    args: string
    /** Hash of the tool's name and the arguments: the answer holds for nothing else. */
    fingerprint: string
    /** Of the tool (`Tool.identity`), so that the answer doesn't hold for another one of its name; empty without one. */
    identity: string
    reasonCode: ApprovalReason
    reason: string
    /** JSON of a `SentenceBody`: what `reason` is made of; null in approvals of older versions. */
    sentence: string | null
    /** JSON of an `ApprovalDelegation`; null where the chat's own assistant asks. */
    delegation: string | null
    state: "waiting" | "allowed" | "denied" | "expired"
    createdAt: string
    expiresAt: string
  }
  /** Turns that go on once their approvals are answered; JSON of a `ParkedTurn`. */
  parkedTurns: { messageId: string; ownerId: string; chatId: string; turn: string }
  /**
   * Turns that are being written, where another box may go on with them; JSON of a `BegunTurn` and a `BegunProgress`. `attempts`
   * counts the boxes that went on with one.
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
  /** What chats that belong together are given. */
  projects: {
    id: string
    ownerId: string
    name: string
    instructions: string
    /** JSON array. */
    vectorIds: string
    assistantId: string | null
    /** 1: it was deleted, and can be brought back. */
    removed: Generated<number>
    createdAt: string
    /** 1: a key with scopes was the last to change the instructions, folders or assistant. */
    writtenByScopedKey: Generated<number>
  }
  /** Questions that wait for their turn, each chat's by `number`. */
  questions: {
    id: string
    ownerId: string
    /** Id of the API key or the session that asked. */
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
  /** What was done with files by their names, places and tags. */
  filings: {
    id: string
    ownerId: string
    action: FilingAction
    /** `moving` and `undoing`: the file is in no folder, and `taken` gives it a place. */
    status: "moving" | "done" | "undoing" | "undone"
    fileId: string
    besideId: string | null
    /** JSON of a `FiledAs`; null of a note. */
    was: string | null
    /** JSON of a `FiledAs`. */
    became: string
    taken: string | null
    chatId: string | null
    /** Id of the call, with a hash of what it wanted: models elsewhere use ids anew. */
    callKey: string | null
    createdAt: string
    undoneAt: string | null
  }
  /** Steps of what became of files. */
  fileHistory: {
    number: Generated<number>
    fileId: string
    step: HistoryStep
    /** The same step comes once. */
    stepKey: string
    at: string
    /** JSON of what a `HistoryEntry` tells besides. */
    detail: string
  }
  automations: {
    id: string
    ownerId: string
    name: string
    enabled: number
    /** Of its trigger. */
    kind: Trigger["kind"]
    /** JSON of a `Trigger`. */
    trigger: string
    /** Whose files it waits for; null: it waits for none, or is switched off. */
    folderId: string | null
    /** SHA-256 of its hook's token. */
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
    /** JSON of whose rights it works with. */
    asker: string
    nextRunAt: string | null
    /** When that was looked up; null: by an earlier version. */
    timedAt: string | null
    /** Runs that failed one after the other. */
    failures: Generated<number>
    /** JSON of an `ErrorBody`: why the box switched it off. */
    problem: string | null
    /** Of a standing question: JSON of the passages that were found last. */
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
    /** One run of an automation's for each. */
    causeKey: string
    /** What was posted to its hook. */
    input: string | null
    chatId: string | null
    createdAt: string
    startedAt: string | null
    endedAt: string | null
    /** JSON of an `ErrorBody`. */
    error: string | null
    attempt: Generated<number>
    /** 0: its owner is to be told how it ended. */
    told: Generated<number>
  }
  /** Folders of which it is written down when files are indexed. */
  awaitedFolders: { folderId: string }
  /** Files that were indexed, until what waits for them has begun. */
  fileArrivals: {
    number: Generated<number>
    folderId: string
    fileId: string
    revision: number
    /** 0: it was indexed before, with other content. */
    isNew: number
  }
  queuedQuestions: {
    number: Generated<number>
    id: string
    ownerId: string
    chatId: string
    /** The project of a chat that it begins; null: none. */
    projectId: string | null
    content: string
    assistantId: string | null
    modelId: string | null
    /** Null: none was named. */
    reading: Reading | null
    /** JSON of a `FactTable`; null: the answer is to be in words. */
    factTable: string | null
    /** JSON, like an assistant's; null: none were named. */
    builtInTools: string | null
    /** JSON array of ids, like `attachments`; null there: those uploaded since the message before. */
    vectorIds: string
    attachments: string | null
    /** JSON array of ids of the files it names; null: none. */
    fileIds: string | null
    /** 1: it reads files that a model wrote as well. */
    includeGenerated: Generated<number>
    /** The message it follows; empty: it begins the chat; null: whatever is newest by then. */
    afterId: string | null
    boxAddress: string
    /** JSON of the `Asker` whose rights it is asked with. */
    asker: string
    /** 1: it waits neither for files nor for approvals. */
    now: Generated<number>
    /** 1: the answer before it was stopped. */
    stopped: Generated<number>
    /** JSON of an `ErrorBody`: why it can't be asked. */
    problem: string | null
    createdAt: string
    /** 1: deleted with its chat, which can still be undone. */
    removed: Generated<number>
    /** Counts changes of what is asked. */
    revision: Generated<number>
  }
  deletions: {
    number: Generated<number>
    ownerId: string
    kind: DeletionKind
    itemId: string
    /** JSON of what the item's feature needs to bring it back, or to remove it for good. */
    kept: string
    /** Of the token that undoes it; null: nothing does any more. */
    tokenHash: Buffer | null
    until: string
  }
  /** Files that tools made in a conversation. */
  chatFiles: {
    id: string
    ownerId: string
    chatId: string
    name: string
    mediaType: string
    size: number
    createdAt: string
    /** Key of its bytes where they are on an object store; null: they are in the chat's directory. */
    object: string | null
  }
  /** What models noted of parts of files, for a question. */
  readNotes: {
    id: Generated<number>
    /** Of the model, what it was asked and the part's text. */
    hash: Buffer
    /** The model, and which of several contexts of it. */
    model: string
    /** Hash of what it was asked. */
    question: Buffer
    /** JSON array of a part's `Note`s. */
    notes: string
    /** Of the part's text, and how long reading it took. */
    characters: number
    milliseconds: number
    /** Of all that the model was sent for it; null where its server doesn't tell. */
    tokens: number | null
    usedAt: string
  }
  /** The files that a note was made of; a trigger deletes it with the first of them. */
  readNoteFiles: { fileId: string; noteId: number }
  /** Integrations and MCP servers that a user set or linked. */
  toolServers: {
    ownerId: string
    key: string
    name: string
    /** JSON of a `ServerTarget`; of null where the catalogue's counts. */
    target: string
    linkedAt: string | null
    /** 1: its provider takes the sign-in no more. */
    signedOut: number
    /** JSON of the definitions that the user approved. */
    approved: string
    /** JSON of what the server offered when it was last asked. */
    offer: string
    /** JSON array of names of functions that the user marked as only reading. */
    readTools: string
    createdAt: string
    /** JSON array of names of functions that the user switched off. */
    offTools: string
    /** 1: it was linked in a restored backup, and no owner has turned it on since. */
    held: Generated<number>
  }
  /** Servers elsewhere whose models the box uses. */
  modelServers: {
    id: string
    name: string
    url: string
    /** JSON array of names that an owner gave, for a server that doesn't list its own. */
    givenModels: string
    /** JSON of what the server told of its models when it was last asked. */
    models: string
    state: ServerState
    /** JSON of the sentence that says what is wrong. */
    problem: string | null
    createdAt: string
    /** 1: it came with a restored backup, and no owner has turned it on since; its models aren't offered. */
    held: Generated<number>
  }
}
