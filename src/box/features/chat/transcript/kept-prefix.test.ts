import { describe, expect, test } from "vitest"
import type { ChatMessage } from "../../../../shared/contract/chat.ts"
import { type HistoryNode, findStoredPrefix } from "./append-turn.ts"

/** Returns small numbers in an order determined by a seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const message = (text: number, depth: number): ChatMessage => ({
  role: depth % 2 === 0 ? "user" : "assistant",
  content: `text ${text}`,
})

/** Returns a tree with few different texts, so that equal siblings are likely. */
function randomTree(next: (below: number) => number): HistoryNode[] {
  const nodes: (HistoryNode & { depth: number })[] = []
  const size = next(14)
  for (let index = 0; index < size; index++) {
    const parent = nodes[next(nodes.length + 1)]
    const depth = parent ? parent.depth + 1 : 0
    nodes.push({ id: `n${index}`, parentId: parent?.id ?? null, depth, ...message(next(2), depth) })
  }
  return nodes
}

function getPath(nodes: HistoryNode[], id: string): HistoryNode[] {
  const node = nodes.find((each) => each.id === id)
  return node ? [...(node.parentId === null ? [] : getPath(nodes, node.parentId)), node] : []
}

describe("keptPrefix", () => {
  // Catches a walk that takes the first of equal siblings and misses the one that continues, or a path with gaps.
  test("finds the longest matching path in any tree, and the current one among equal paths", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const next = randomNumbers(seed)
      const nodes = randomTree(next)
      const head = nodes[next(nodes.length + 1)]?.id ?? null
      const history = Array.from({ length: 1 + next(6) }, (_, depth) => message(next(2), depth))

      const courses = nodes
        .map((node) => getPath(nodes, node.id))
        .filter((path) =>
          path.every(({ content, role }, depth) => {
            const sent = history[depth]
            return sent?.content === content && sent.role === role
          }),
        )
      const longest = Math.max(0, ...courses.map((course) => course.length))
      const kept = findStoredPrefix(nodes, head, history)

      expect(kept.length, `seed ${seed}`).toBe(longest)
      expect(getPath(nodes, kept.at(-1)?.id ?? ""), `seed ${seed}`).toEqual(kept)
      const currentIds = new Set(head === null ? [] : getPath(nodes, head).map(({ id }) => id))
      const best = courses.filter((course) => course.length === longest && longest > 0)
      if (best.some((course) => currentIds.has(course.at(-1)?.id ?? ""))) {
        expect(currentIds.has(kept.at(-1)?.id ?? ""), `seed ${seed}`).toBe(true)
      }
    }
  })

  // Catches a client that trims answers and so starts a new branch at every turn.
  test("ignores white space around a text, but not roles", () => {
    const nodes: HistoryNode[] = [{ id: "a", parentId: null, role: "user", content: " Hi\n" }]
    expect(findStoredPrefix(nodes, "a", [{ role: "user", content: "Hi" }])).toHaveLength(1)
    expect(findStoredPrefix(nodes, "a", [{ role: "system", content: "Hi" }])).toHaveLength(0)
  })
})
