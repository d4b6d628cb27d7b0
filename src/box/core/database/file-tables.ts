import type { Generated } from "kysely"
import type { FilePhase, FileStatus } from "../../../shared/contract/files.ts"
import type { FilingAction, HistoryStep } from "../../../shared/contract/filing.ts"
import type {
  FolderImages,
  FolderRemote,
  HiddenParts,
  Strategy,
  Visibility,
} from "../../../shared/contract/folders.ts"

/** Tables of folders, files and their passages. `DatabaseSchema` says how values are stored. */
export interface FileTables {
  folders: {
    id: string
    ownerId: string
    name: string
    description: string
    /** Absolute for a user's directory. Relative to the data directory for one that the box created (`storedPath`). */
    path: string
    /** Path of a watched directory of a restored backup until it is turned on or replaced; `path` is unusable until then. */
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
    /** Whether images of its documents are read and described. */
    images: Generated<FolderImages>
    visibility: Visibility
    iconName: string | null
    accentColor: string | null
    paused: number
    /** 1: search, chat and whole reading include files that a model wrote. */
    includeGenerated: Generated<number>
    /** Whether hidden parts of its documents are left out or marked. */
    hiddenParts: Generated<HiddenParts>
    /** The owner's chat whose attachments the folder holds; such a folder isn't listed. */
    chatId: string | null
    /** 1: the folder is deleted, but some of its contents remain. */
    removed: number
    createdAt: string
    updatedAt: string
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
    /** The readers that read it last, as `UsedReaders` describes them; null: an earlier version did, or nothing has read it. */
    readers: string | null
    /** 1: it is indexed, and its note says which parts are missing; 2: no text was found in it. */
    partial: Generated<number>
    /** JSON of a `ReadAs` if a person chose how its letters are encoded. */
    readAs: string | null
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
    /** The date that its content states, in milliseconds since 1970; null: none, or it was read before this was stored. */
    contentMs: number | null
    /** Senders and recipients of a message, as `foldPeople` writes them; null: none. */
    people: string | null
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
  /** Descriptions of pictures in a file that models wrote, by the hash of the picture as the model saw it. `usedAt`: when it was last used. */
  pictureDescriptions: { fileId: string; hash: string; modelId: string; text: string; usedAt: string }
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
}
