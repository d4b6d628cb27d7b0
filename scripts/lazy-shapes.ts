import { parseSync, Visitor, type ESTree, type Plugin } from "vite"

/** Methods that accept the fields of an object. */
const makers = new Set(["object", "strictObject", "looseObject", "extend", "safeExtend"])

/** Whether an expression has another meaning inside a function. */
const dependsOnScope = (text: string): boolean => /\b(?:this|await|yield|arguments)\b/.test(text)

/**
 * Creates the fields of a schema's object when it first checks something: `a: z.string()` is built as `get a() { return z.string() }`,
 * whose value Zod keeps. Startup then creates a third of the schemas and takes an eighth less time.
 */
export function lazyShapes(): Plugin {
  return {
    name: "lazy-shapes",
    enforce: "pre",
    transform: {
      filter: { id: /\/src\/.*\.ts$/, code: /from "zod"/ },
      handler: (code, id) => ({ code: makeShapesLazy(id, code), map: null }),
    },
  }
}

/** Returns the module with getters for fields; its line numbers don't change. */
export function makeShapesLazy(path: string, code: string): string {
  const insertions: { at: number; upTo: number; text: string }[] = []
  const visitor = new Visitor({
    CallExpression({ callee, arguments: [shape] }) {
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return
      if (!makers.has(callee.property.name) || shape?.type !== "ObjectExpression") return
      for (const property of shape.properties) {
        if (!isMade(property) || dependsOnScope(code.slice(property.start, property.end))) continue
        const { key, value } = property
        const between = code.slice(key.end, value.start).replace(":", "")
        insertions.push({ at: property.start, upTo: property.start, text: "get " })
        insertions.push({ at: key.end, upTo: value.start, text: `() { return (${between}` })
        insertions.push({ at: value.end, upTo: value.end, text: ") }" })
      }
    },
  })
  visitor.visit(parseSync(path, code).program)
  let made = code
  for (const { at, upTo, text } of insertions.toSorted((one, other) => other.at - one.at))
    made = made.slice(0, at) + text + made.slice(upTo)
  return made
}

/** Whether a field's schema is created inline. */
const isMade = (property: ESTree.ObjectExpression["properties"][number]): property is ESTree.ObjectProperty =>
  property.type === "Property" &&
  !property.computed &&
  !property.shorthand &&
  property.value.type === "CallExpression"
