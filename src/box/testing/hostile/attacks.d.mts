import type { Target } from "./hostile-child.ts"

export declare const attacks: Record<string, Record<string, (target: Target) => unknown>>
