// For `node --expose-internals --require`: once the program writes its first line, writes down which of Node's own modules had to
// be compiled, though Node brings them compiled, into the file that LIST_UNCOMPILED names.
const { writeFileSync } = require("node:fs")
const { internalBinding } = require("internal/test/binding")
const atFirstLine = require("./at-first-line.cjs")

atFirstLine(() => {
  const { compiledWithoutCache } = internalBinding("builtins").getCacheUsage()
  writeFileSync(process.env.LIST_UNCOMPILED, [...compiledWithoutCache].join("\n"))
})
