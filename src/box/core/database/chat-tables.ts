import type { Generated } from "kysely"
import type { Notify, RunStatus, Trigger } from "../../../shared/contract/automations.ts"
import type { ChatImport } from "../../../shared/contract/chat-imports.ts"
import type {
  ApprovalReason,
  FinishReason,
  Reading,
  Rewrite,
  Role,
  StreamStatus,
} from "../../../shared/contract/chat.ts"
import type { Origin, QuerySource } from "../../../shared/contract/conversations.ts"
import type { Strategy, Visibility } from "../../../shared/contract/folders.ts"
import type { Question } from "../../../shared/contract/questions.ts"

/** Tables of assistants, chats and automations. `DatabaseSchema` says how values are stored. */
export interface ChatTables {
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
    /** 1: a key with scopes changed what it does, and no one with full rights has saved its instructions since. */
    writtenByScopedKey: Generated<number>
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
    /** 1: a key with scopes was the last to write it. */
    writtenByScopedKey: Generated<number>
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
    /** 1: a key with scopes wrote one of its questions. */
    writtenByScopedKey: Generated<number>
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
    /** For a question: JSON of the `FileFilter` that narrows it; null: none. */
    filter: string | null
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
    querySource: Generated<QuerySource>
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
    rewrite: Generated<Rewrite>
    /** JSON of a `FileFilter`; null: none. */
    filter: Generated<string | null>
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
}
