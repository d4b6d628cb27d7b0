// For `node --expose-internals --require`: once the program writes its first line, writes down which of Node's own modules had to
// be compiled, though Node brings them compiled, into the file that LIST_UNCOMPILED names.
const { writeFileSync } = require("node:fs")
const { internalBinding } = require("internal/test/binding")

const { get } = Object.getOwnPropertyDescriptor(process, "stdout")
Object.defineProperty(process, "stdout", {
  configurable: true,
  get() {
    const stream = get.call(process)
    const { write } = stream
    Object.defineProperty(process, "stdout", { value: stream })
    stream.write = (...args) => {
      const { compiledWithoutCache } = internalBinding("builtins").getCacheUsage()
      writeFileSync(process.env.LIST_UNCOMPILED, [...compiledWithoutCache].join("\n"))
      stream.write = write
      return stream.write(...args)
    }
    return stream
  },
})
