import {
  type FunctionAssignmentNode,
  type FunctionNode,
  type MathNode,
  type SymbolNode,
  all,
  create,
  type BigNumber,
  type ConfigOptions,
  type FactoryFunctionMap,
  type MathJsInstance,
} from "mathjs"

/**
 * Functions that an expression may call. Excluded are functions that change mathjs itself (import, config, createUnit), read expressions
 * from text (evaluate, parse, simplify, derivative), or accept text that names a type or a format.
 */
const allowedFunctions: ReadonlySet<string> = new Set(
  (
    "abs add cbrt ceil cube divide dotDivide dotMultiply dotPow exp expm expm1 fix floor gcd hypot invmod lcm log " +
    "log10 log1p log2 ln mod multiply norm nthRoot nthRoots pow round sign sqrt sqrtm square subtract unaryMinus " +
    "unaryPlus xgcd lsolve lsolveAll lup lusolve polynomialRoot qr schur slu usolve usolveAll bitAnd bitNot bitOr " +
    "bitXor leftShift rightArithShift rightLogShift bellNumbers catalan composition stirlingS2 arg conj im re den " +
    "num distance intersect and not or xor column concat count cross ctranspose det diag diff dot eigs fft filter " +
    "flatten forEach identity ifft inv kron map matrixFromColumns matrixFromRows ones pinv range reshape resize " +
    "row size sort squeeze subset trace transpose zeros combinations combinationsWithRep factorial gamma " +
    "kldivergence lgamma multinomial permutations pickRandom random randomInt compare deepEqual equal larger " +
    "largerEq smaller smallerEq unequal setCartesian setDifference setDistinct setIntersect setIsSubset " +
    "setMultiplicity setPowerset setSize setSymDifference setUnion erf zeta corr cumsum mad max mean median min " +
    "mode prod quantileSeq std sum variance acos acosh acot acoth acsc acsch asec asech asin asinh atan atan2 " +
    "atanh cos cosh cot coth csc csch sec sech sin sinh tan tanh to toBest isInteger isNaN isNegative isNumeric " +
    "isPositive isPrime isZero bignumber boolean complex fraction matrix number unit"
  ).split(" "),
)

/** Named constants. Physical constants come from mathjs and have units. */
const allowedConstants: ReadonlySet<string> = new Set(
  (
    "e E i Infinity LN2 LN10 LOG2E LOG10E NaN null phi pi PI SQRT1_2 SQRT2 tau true false end atomicMass avogadro " +
    "bohrMagneton bohrRadius boltzmann classicalElectronRadius conductanceQuantum coulomb coulombConstant " +
    "deuteronMass efimovFactor electricConstant electronMass elementaryCharge faraday fermiCoupling " +
    "fineStructure firstRadiation gasConstant gravitationConstant gravity hartreeEnergy inverseConductanceQuantum " +
    "klitzing loschmidt magneticConstant magneticFluxQuantum molarMass molarMassC12 molarPlanckConstant " +
    "molarVolume neutronMass nuclearMagneton planckCharge planckConstant planckLength planckMass " +
    "planckTemperature planckTime protonMass quantumOfCirculation reducedPlanckConstant rydberg sackurTetrode " +
    "secondRadiation speedOfLight stefanBoltzmann thomsonCrossSection vacuumImpedance weakMixingAngle " +
    "wienDisplacement"
  ).split(" "),
)

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
function checkExpression(root: MathNode, isUnit: (name: string) => boolean): void {
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

/** Digits shown for results that aren't integers; calculations use 64. */
const shownDigits = 20
const maxResultLength = 4000

const exact = createMath({ number: "BigNumber", precision: 64 })
/** For functions that support only floating-point numbers. */
const floating = createMath({ number: "number" })

function createMath(config: ConfigOptions): MathJsInstance {
  const math = create(all as FactoryFunctionMap, config)
  math.createUnit({ mph: "1 mile/hour", kph: "1 km/hour", knot: "1.852 km/hour" })
  math.import({ ln: (value: number) => math.log(value) }, {})
  return math
}

/** Returns the value of an expression as text. Throws `WrongExpression`. It may never end, so run it in a process that can be killed. */
export function evaluateExpression(expression: string): string {
  const text = spellOut(expression)
  try {
    return evaluateWith(exact, text)
  } catch (error) {
    if (error instanceof WrongExpression) throw error
    try {
      return evaluateWith(floating, text)
    } catch {
      throw new WrongExpression(getReason(error))
    }
  }
}

function evaluateWith(math: MathJsInstance, text: string): string {
  const node: MathNode = math.parse(text)
  checkExpression(node, (name) => math.Unit.isValuelessUnit(name))
  // a map has no prototype chain, so names in the expression find only its own values
  const value: unknown = node.evaluate(new Map())
  const values = isResultSet(value) ? value.entries : [value]
  return values.map((each) => format(math, each)).join("\n")
}

const isResultSet = (value: unknown): value is { entries: unknown[] } =>
  typeof value === "object" && value !== null && "isResultSet" in value

function format(math: MathJsInstance, value: unknown): string {
  if (typeof value === "function") throw new WrongExpression("This is a function: call it with a value.")
  if (value === undefined || value === null) throw new WrongExpression("This has no value.")
  const text = math.format(value, (number: number | BigNumber) => formatNumber(math, number))
  return text.length > maxResultLength ? `${text.slice(0, maxResultLength)}… (cut)` : text
}

function formatNumber(math: MathJsInstance, value: number | BigNumber): string {
  const isExact = math.isBigNumber(value)
  const isWhole = isExact ? value.isInteger() && value.precision() < 64 : Number.isSafeInteger(value)
  if (isWhole) return math.format(value, { notation: "auto", lowerExp: -9, upperExp: 64 })
  return math.format(value, { precision: isExact ? shownDigits : 14, lowerExp: -9, upperExp: shownDigits })
}

/** Replaces symbols that people and models write with the calculator's spelling. */
function spellOut(expression: string): string {
  return expression
    .replace(/[×·∙⋅]/g, "*")
    .replace(/÷/g, "/")
    .replace(/[−–]/g, "-")
    .replace(/\*\*/g, "^")
    .replace(/²/g, "^2")
    .replace(/³/g, "^3")
    .replace(/π/g, "pi")
    .replace(/√\s*(?=\()/g, "sqrt")
    .replace(/°\s*([CF])\b/g, " deg$1")
    .replace(/°/g, " deg")
    .replace(/%\s*of\b/g, "% *")
    .replace(/≤/g, "<=")
    .replace(/≥/g, ">=")
}

function getReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return `This can't be calculated: ${message.slice(0, 300)}`
}
