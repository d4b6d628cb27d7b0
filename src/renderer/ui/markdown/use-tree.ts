import { useEffect, useMemo, useState } from "react"
import { takeTurn } from "../text/drawing-turns.ts"
import { parseBlock, type Block, type BlockTree, type Unread } from "./parse/parse-block.ts"
import { isCheap, readingSteps } from "./parse/parsing-cost.ts"
import { hasMaths } from "./parse/maths.ts"
import { makeSafe } from "./safe-tree.ts"
import { mayReadHere } from "./reading-here.ts"
import { blockParser } from "./start-parser.ts"
import type { TextBudget } from "./text-budget.ts"

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
