import { useEffect, useMemo, useState } from "react"
import { takeTurn } from "../text/drawing-turns.ts"
import { parseBlock, type Block, type BlockTree, type Unread } from "./parse/parse-block.ts"
import { isCheap, readingSteps } from "./parse/parsing-cost.ts"
import { holdsMaths } from "./parse/maths.ts"
import { makeSafe } from "./safe-tree.ts"
import { mayReadHere } from "./reading-here.ts"
import { blockParser } from "./start-parser.ts"
import type { TextBudget } from "./text-budget.ts"

type Result = BlockTree | Unread

/** Maximum size of the cached trees, in characters. An element takes as much as several characters. */
const mostKept = 2_000_000
const perNode = 10
/** Number of characters of a text that may be parsed on the page's thread. More would block it for seconds. */
const mostAtOnce = 20_000
const kept = new Map<string, Result>()
let keptSize = 0

const keyOf = ({ text, coloured }: Block): string => (coloured ? "+" : "-") + text
const sizeOf = (key: string, result: Result): number =>
  key.length + (result === "too-much" ? 0 : perNode * result.nodes)

function keep(block: Block, result: Result): void {
  const added = keyOf(block)
  forget(added)
  kept.set(added, result)
  keptSize += sizeOf(added, result)
  for (const [key] of kept) {
    if (keptSize <= mostKept) return
    forget(key)
  }
}

function forget(key: string): void {
  const result = kept.get(key)
  if (result === undefined) return
  kept.delete(key)
  keptSize -= sizeOf(key, result)
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
  const known = kept.get(keyOf(block))
  if (known) return known
  if (offset >= mostAtOnce || !isCheap(block.text) || holdsMaths(block.text)) return undefined
  return mayReadHere(readingSteps(block.text)) ? safe(parseBlock(block)) : undefined
}

/**
 * Returns the parsed piece. The worker reads slow pieces: until then, a piece that has grown keeps its previous tree, and a new one is
 * undefined.
 */
export function useTree({ text, coloured, offset, budget }: Shown): Result | undefined {
  const atOnce = useMemo(() => treeAtOnce({ text, coloured }, offset), [text, coloured, offset])
  const [shown, setShown] = useState(atOnce)
  if (atOnce && atOnce !== shown) setShown(atOnce)

  useEffect(() => {
    if (atOnce) return undefined
    const block = { text, coloured }
    return blockParser().read(block, budget, (result) => {
      takeTurn(() => {
        if (result !== "skipped") keep(block, safe(result))
        setShown(result === "skipped" ? "too-much" : result)
      })
    })
  }, [text, coloured, atOnce, budget])

  const tree = atOnce ?? shown
  return tree !== undefined && tree !== "too-much" && !budget.admits(offset, tree.nodes) ? "too-much" : tree
}
