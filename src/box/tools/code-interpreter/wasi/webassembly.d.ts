/** WebAssembly types that Node's types lack. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>)
    static imports(module: Module): { module: string; name: string }[]
  }
  class Memory {
    readonly buffer: ArrayBuffer
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, (...args: never[]) => number>>)
    readonly exports: Record<string, unknown>
  }
}
