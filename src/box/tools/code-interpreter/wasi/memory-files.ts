import { WasiError } from "./errors.ts"

/** Limits on what the host stores for a program, in addition to the program's memory. */
export interface FileBounds {
  /** Total bytes of all files that the program writes. */
  bytes: number
  /** Number of files and directories that it creates. */
  entries: number
}

const maxNameLength = 255
const maxDepth = 64
const smallestFile = 256

/** Storage used by the files of one run, counted by the memory actually allocated. */
export class FileQuota {
  readonly #bounds: FileBounds
  #bytes = 0
  #entries = 0

  constructor(bounds: FileBounds) {
    this.#bounds = bounds
  }

  takeBytes(count: number): void {
    if (this.#bytes + count > this.#bounds.bytes) throw new WasiError("nospc")
    this.#bytes += count
  }

  giveBackBytes(count: number): void {
    this.#bytes -= count
  }

  takeEntry(): void {
    if (this.#entries >= this.#bounds.entries) throw new WasiError("nospc")
    this.#entries++
  }

  giveBackEntry(): void {
    this.#entries--
  }

  /** The maximum size of a file. */
  get largest(): number {
    return this.#bounds.bytes
  }
}

let lastInode = 0n

/** Times are in nanoseconds since 1970, as the program sees them. */
abstract class Inode {
  readonly inode = ++lastInode
  changedAt = now()
  abstract readonly readOnly: boolean
  /** Number of open descriptors. The file is released when it has neither a name nor an open descriptor. */
  opened = 0
  linked = true
}

/** An input file, or one that is only listed (`null`). */
export class ReadOnlyFile extends Inode {
  readonly readOnly = true
  readonly bytes: Uint8Array | null
  readonly size: number

  constructor(bytes: Uint8Array | null, size = bytes?.byteLength ?? 0) {
    super()
    this.bytes = bytes
    this.size = size
  }
}

/** A file created by the program. */
export class WritableFile extends Inode {
  readonly readOnly = false
  readonly #quota: FileQuota
  #buffer = new ArrayBuffer(0)
  #size = 0

  constructor(quota: FileQuota) {
    super()
    quota.takeEntry()
    this.#quota = quota
  }

  get size(): number {
    return this.#size
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer, 0, this.#size)
  }

  /** Writes at any offset up to the limit. Any gap is filled with zeros, which are stored and counted too. */
  write(data: Uint8Array, offset: bigint): void {
    if (data.byteLength === 0) return
    const end = offset + BigInt(data.byteLength)
    if (end > BigInt(this.#quota.largest)) throw new WasiError("fbig")
    this.#reserve(Number(end))
    new Uint8Array(this.#buffer).set(data, Number(offset))
    this.#size = Math.max(this.#size, Number(end))
    this.changedAt = now()
  }

  resize(size: bigint): void {
    if (size > BigInt(this.#quota.largest)) throw new WasiError("fbig")
    const bytes = Number(size)
    if (bytes < this.#size) this.#move(bytes)
    else this.#reserve(bytes)
    this.#size = bytes
    this.changedAt = now()
  }

  /** Frees its memory immediately. */
  discard(): void {
    this.#size = 0
    this.#move(0)
    this.#quota.giveBackEntry()
  }

  #reserve(bytes: number): void {
    const capacity = this.#buffer.byteLength
    if (bytes <= capacity) return
    const roomy = Math.min(Math.max(bytes, capacity * 2, smallestFile), this.#quota.largest)
    try {
      this.#move(roomy)
    } catch (error) {
      if (!(error instanceof WasiError) || roomy === bytes) throw error
      this.#move(bytes)
    }
  }

  /** `transfer` frees the old buffer without waiting for garbage collection. */
  #move(capacity: number): void {
    const more = capacity - this.#buffer.byteLength
    if (more > 0) this.#quota.takeBytes(more)
    else this.#quota.giveBackBytes(-more)
    this.#buffer = this.#buffer.transfer(capacity)
  }
}

export type MemoryFile = ReadOnlyFile | WritableFile
export type MemoryNode = MemoryFile | MemoryDirectory

export class MemoryDirectory extends Inode {
  /** `null` if the host created the directory; the program may not change it. */
  readonly #quota: FileQuota | null
  readonly #entries = new Map<string, MemoryNode>()
  #parent: MemoryDirectory | null = null

  constructor(quota: FileQuota | null) {
    super()
    quota?.takeEntry()
    this.#quota = quota
  }

  get readOnly(): boolean {
    return this.#quota === null
  }

  get parent(): MemoryDirectory {
    return this.#parent ?? this
  }

  get entries(): ReadonlyMap<string, MemoryNode> {
    return this.#entries
  }

  get(name: string): MemoryNode | undefined {
    return this.#entries.get(name)
  }

  /** Adds a node on behalf of the host. */
  place(name: string, node: MemoryNode): void {
    if (node instanceof MemoryDirectory) node.#parent = this
    this.#entries.set(name, node)
    this.changedAt = now()
  }

  /** Adds a node on behalf of the program. */
  add(name: string, node: MemoryNode): void {
    this.requireWritable()
    if (new TextEncoder().encode(name).byteLength > maxNameLength) throw new WasiError("nametoolong")
    if (this.#depth() + (node instanceof MemoryDirectory ? node.#height() : 1) > maxDepth) {
      throw new WasiError("nametoolong")
    }
    this.place(name, node)
  }

  makeFile(name: string): WritableFile {
    return this.#make(name, (quota) => new WritableFile(quota))
  }

  makeDirectory(name: string): MemoryDirectory {
    return this.#make(name, (quota) => new MemoryDirectory(quota))
  }

  /** Removes a name. Its node stays as long as it is open or gets another name. */
  remove(name: string): void {
    this.requireWritable()
    this.#entries.delete(name)
    this.changedAt = now()
  }

  requireWritable(): void {
    if (this.readOnly) throw new WasiError("rofs")
  }

  discard(): void {
    this.#quota?.giveBackEntry()
  }

  /** Whether the node is this directory or one of its parents. */
  isWithin(node: MemoryNode): boolean {
    return node === this || (this.#parent?.isWithin(node) ?? false)
  }

  #make<Node extends MemoryNode>(name: string, make: (quota: FileQuota) => Node): Node {
    const quota = this.#quota
    if (quota === null) throw new WasiError("rofs")
    const node = make(quota)
    try {
      this.add(name, node)
    } catch (error) {
      if (!(node instanceof ReadOnlyFile)) node.discard()
      throw error
    }
    return node
  }

  #depth(): number {
    return this.#parent === null ? 1 : this.#parent.#depth() + 1
  }

  #height(): number {
    let highest = 0
    for (const entry of this.#entries.values()) {
      highest = Math.max(highest, entry instanceof MemoryDirectory ? entry.#height() : 1)
    }
    return highest + 1
  }
}

/** A host directory that the program can't change. */
export function createDirectory(entries: Record<string, MemoryNode>): MemoryDirectory {
  const directory = new MemoryDirectory(null)
  for (const [name, entry] of Object.entries(entries)) directory.place(name, entry)
  return directory
}

/** Frees a node's memory when it has no name and isn't open. */
export function release(node: MemoryNode): void {
  if (node.linked || node.opened > 0 || node instanceof ReadOnlyFile) return
  node.discard()
}

function now(): bigint {
  return BigInt(Date.now()) * 1_000_000n
}
