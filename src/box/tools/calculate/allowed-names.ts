/**
 * Functions that an expression may call. Excluded are functions that change mathjs itself (import, config, createUnit), read expressions
 * from text (evaluate, parse, simplify, derivative), or accept text that names a type or a format.
 */
export const allowedFunctions: ReadonlySet<string> = new Set(
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
export const allowedConstants: ReadonlySet<string> = new Set(
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
