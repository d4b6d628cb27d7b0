import { parseSync, Visitor, type ESTree, type Plugin } from "vite"

/** Functions that declare an endpoint. */
const endpointKinds = new Set(["json", "upload", "bytes", "stream"])

/**
 * Removes the texts of the API reference from the built programs, which serve the generated `openapi.json` and need no copy of it in
 * memory: `.describe("…")`, descriptions of schemas with an `id`, and descriptions of endpoints. `.meta({ description })` without an `id`
 * stays, because schemas of tools contain it for models.
 */
export function stripDescriptions(): Plugin {
  return {
    name: "strip-descriptions",
    enforce: "pre",
    transform: {
      filter: { id: /\/src\/shared\/contract\/[\w-]+\.ts$/ },
      handler: (code, id) => ({ code: withoutDescriptions(id, code), map: null }),
    },
  }
}

/** Returns the module without descriptions; its line numbers don't change. */
export function withoutDescriptions(path: string, code: string): string {
  const removals: { start: number; end: number }[] = []
  const visitor = new Visitor({
    CallExpression({ callee, arguments: [first], end }) {
      if (callee.type === "Identifier") {
        if (endpointKinds.has(callee.name) && first?.type === "ObjectExpression") removeDescription(first)
        return
      }
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return
      if (callee.property.name === "describe") removals.push({ start: callee.object.end, end })
      if (callee.property.name === "meta" && first?.type === "ObjectExpression" && has(first, "id"))
        removeDescription(first)
    },
  })
  visitor.visit(parseSync(path, code).program)
  let kept = code
  for (const { start, end } of removals.toSorted((one, other) => other.start - one.start))
    kept = kept.slice(0, start) + kept.slice(start, end).replace(/[^\n]/g, "") + kept.slice(end)
  return kept

  function removeDescription(object: ESTree.ObjectExpression) {
    const property = object.properties.find((each) => nameOf(each) === "description")
    if (!property) return
    const comma = /^\s*,/.exec(code.slice(property.end))
    removals.push({ start: property.start, end: property.end + (comma?.[0].length ?? 0) })
  }
}

const has = (object: ESTree.ObjectExpression, name: string) =>
  object.properties.some((property) => nameOf(property) === name)

const nameOf = (property: ESTree.ObjectExpression["properties"][number]) =>
  property.type === "Property" && property.key.type === "Identifier" ? property.key.name : undefined
