import { useEffect, useMemo, useState } from "react"
import { takeTurn } from "../text/LongText.tsx"
import { BlockParser, type StartThread } from "./parse/block-parser.ts"
import { maxNodesTogether, isCheap, readingSteps } from "./parse/bounds.ts"
import { hasMaths } from "./parse/maths.ts"
import { parseBlock, type Block, type BlockTree, type Unread } from "./parse/parse-block.ts"
import { makeSafe } from "./markdown-elements.tsx"

/** The total cost of a text's pieces. */
export class TextBudget {
  overruns = 0
  tookMs = 0
  #nodes = 0
  readonly #ofPiece = new Map<number, number>()

  /** Whether a piece with this many elements may be rendered in addition to the others. */
  admits(offset: number, nodes: number): boolean {
    const before = this.#ofPiece.get(offset) ?? 0
    if (this.#nodes - before + nodes > maxNodesTogether) return false
    this.#ofPiece.set(offset, nodes)
    this.#nodes += nodes - before
    return true
  }
}

/** Maximum parsing per task of the page, in steps (`readingSteps`), because there may be many cheap pieces. */
const maxSteps = 800_000

let spent = 0

/** Whether the current task may parse another cheap piece. Other pieces go to the worker. */
function mayReadHere(steps: number): boolean {
  if (spent + steps > maxSteps) return false
  if (spent === 0) setTimeout(() => (spent = 0))
  spent += Math.max(1, steps)
  return true
}

const limits = { startMs: 20_000, readMs: 2000 }

const startWorker: StartThread = (onMessage, onFailure) => {
  const worker = new Worker(new URL("parse/parser-worker.ts", import.meta.url), { type: "module" })
  // The styles of formulas must be loaded before the first formula is rendered.
  const styles = import("katex/dist/katex.min.css")
  worker.addEventListener("message", ({ data }) => void styles.then(() => onMessage(data), onFailure))
  worker.addEventListener("error", onFailure)
  worker.addEventListener("messageerror", onFailure)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  return { send: (block) => worker.postMessage(block), stop: () => worker.terminate() }
}

let parser: BlockParser | undefined

/** The parser for the whole page. Its worker starts with the first piece that needs it. */
const blockParser = (): BlockParser => (parser ??= new BlockParser(startWorker, limits))

type Result = BlockTree | Unread

/** Maximum size of the cached trees, in characters. An element takes as much as several characters. */
const maxKept = 2_000_000
const perNode = 10
/** Number of characters of a text that may be parsed on the page's thread. More would block it for seconds. */
const maxOnMainThread = 20_000
const kept = new Map<string, Result>()
let cachedSize = 0

const getKey = ({ text, coloured }: Block): string => (coloured ? "+" : "-") + text
const getSize = (key: string, result: Result): number =>
  key.length + (result === "too-much" ? 0 : perNode * result.nodes)

function keep(block: Block, result: Result): void {
  const added = getKey(block)
  forget(added)
  kept.set(added, result)
  cachedSize += getSize(added, result)
  for (const [key] of kept) {
    if (cachedSize <= maxKept) return
    forget(key)
  }
}

function forget(key: string): void {
  const result = kept.get(key)
  if (result === undefined) return
  kept.delete(key)
  cachedSize -= getSize(key, result)
}

interface Shown extends Block {
  /** Its position in the text. */
  offset: number
  /** Limits for the whole text. */
  budget: TextBudget
}

function safe(result: Result): Result {
  if (result !== "too-much") makeSafe(result.root)
  return result
}

/** Returns a tree that is available immediately, because it is cached or cheap to parse. */
function treeAtOnce(block: Block, offset: number): Result | undefined {
  const known = kept.get(getKey(block))
  if (known) return known
  if (offset >= maxOnMainThread || !isCheap(block.text) || hasMaths(block.text)) return undefined
  return mayReadHere(readingSteps(block.text)) ? safe(parseBlock(block)) : undefined
}

/**
 * Returns the parsed piece. The worker reads slow pieces: until then, a piece that has grown keeps its previous tree, and a new one is
 * undefined.
 */
export function useTree({ text, coloured, offset, budget }: Shown): Result | undefined {
  const immediateTree = useMemo(() => treeAtOnce({ text, coloured }, offset), [text, coloured, offset])
  const [shown, setShown] = useState(immediateTree)
  if (immediateTree && immediateTree !== shown) setShown(immediateTree)

  useEffect(() => {
    if (immediateTree) return undefined
    const block = { text, coloured }
    return blockParser().read(block, budget, (result) => {
      takeTurn(() => {
        if (result !== "skipped") keep(block, safe(result))
        setShown(result === "skipped" ? "too-much" : result)
      })
    })
  }, [text, coloured, immediateTree, budget])

  const tree = immediateTree ?? shown
  return tree !== undefined && tree !== "too-much" && !budget.admits(offset, tree.nodes) ? "too-much" : tree
}
