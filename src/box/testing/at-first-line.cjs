/** Calls the function once the process writes its first line to the standard output, just before the line. */
module.exports = function atFirstLine(call) {
  const { get } = Object.getOwnPropertyDescriptor(process, "stdout")
  Object.defineProperty(process, "stdout", {
    configurable: true,
    get() {
      const stream = get.call(process)
      const { write } = stream
      Object.defineProperty(process, "stdout", { value: stream })
      stream.write = (...args) => {
        call()
        stream.write = write
        return stream.write(...args)
      }
      return stream
    },
  })
}
