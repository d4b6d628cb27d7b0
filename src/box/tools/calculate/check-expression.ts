import type { FunctionAssignmentNode, FunctionNode, MathNode, SymbolNode } from "mathjs"
import { allowedConstants, allowedFunctions } from "./allowed-names.ts"

/**
 * Allows numbers, operators, calls, matrices, and the expression's own variables and functions. Objects, text and properties aren't
 * allowed.
 */
const allowedNodes = new Set([
  "ArrayNode",
  "AssignmentNode",
  "BlockNode",
  "ConditionalNode",
  "ConstantNode",
  "FunctionAssignmentNode",
  "FunctionNode",
  "IndexNode",
  "AccessorNode",
  "OperatorNode",
  "ParenthesisNode",
  "RangeNode",
  "RelationalNode",
  "SymbolNode",
])

/** Thrown for an expression that can't be calculated. The message states the reason. */
export class WrongExpression extends Error {
  override readonly name = "WrongExpression"
}

/** Throws `WrongExpression` if the expression contains anything that isn't allowed. */
export function checkExpression(root: MathNode, isUnit: (name: string) => boolean): void {
  const own = collectDefinedNames(root)
  const known = (name: string) =>
    own.has(name) || allowedFunctions.has(name) || allowedConstants.has(name) || isUnit(name)
  root.traverse((node) => {
    if (!allowedNodes.has(node.type)) {
      throw new WrongExpression(
        "Objects and properties can't be used: give numbers, units and matrices only.",
      )
    }
    if (node.type === "ConstantNode" && typeof (node as { value?: unknown }).value === "string") {
      throw new WrongExpression("Text in quotes can't be used: give numbers, units and matrices only.")
    }
    if (node.type === "FunctionNode") {
      const { fn } = node as FunctionNode
      if (fn.type !== "SymbolNode") throw new WrongExpression("Only functions with a name can be called.")
      if (!own.has(fn.name) && !allowedFunctions.has(fn.name)) {
        throw new WrongExpression(`There is no function "${fn.name}".`)
      }
    }
    if (node.type === "SymbolNode" && !known((node as SymbolNode).name)) {
      throw new WrongExpression(
        `"${(node as SymbolNode).name}" is neither a unit nor a value that is known. Give its value in the expression.`,
      )
    }
  })
}

/** Returns the variables that the expression sets, the functions it defines, and their parameters. */
function collectDefinedNames(root: MathNode): Set<string> {
  const names = new Set<string>()
  const add = (name: string) => {
    if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) || name in Object.prototype || allowedFunctions.has(name)) {
      throw new WrongExpression(`"${name}" can't be the name of a value of your own.`)
    }
    names.add(name)
  }
  root.traverse((node) => {
    if (node.type === "AssignmentNode") {
      const { object } = node as MathNode & { object: MathNode }
      if (object.type === "SymbolNode") add((object as SymbolNode).name)
    }
    if (node.type === "FunctionAssignmentNode") {
      const { name, params } = node as FunctionAssignmentNode
      for (const each of [name, ...params]) add(each)
    }
  })
  return names
}
