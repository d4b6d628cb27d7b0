import { build, type Plugin } from "vite"

/** A script of its own, with all that it imports in it. */
async function bundle(path: string, target: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "silent",
    publicDir: false,
    build: { write: false, target, rolldownOptions: { input: path, output: { format: "iife" } } },
  })
  if (!("output" in built)) throw new Error(`${path} wasn't built once.`)
  return built.output[0].code
}

/**
 * Has the page run a small script before anything is painted and before its other code is there: what that waits for, such as
 * an answer of the box, is then under way.
 *
 * @param path of the script; what it shares with the page's code is in both.
 */
export function earlyScript(path: string, target: string): Plugin {
  return {
    name: "early-script",
    async buildStart() {
      if (this.meta.watchMode) return
      this.emitFile({ type: "asset", name: "early.js", source: await bundle(path, target) })
    },
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle: built }) {
        const file = Object.keys(built ?? {}).find((name) => /(^|\/)early-[^/]*\.js$/.test(name))
        const attrs = file === undefined ? { type: "module", src: "/early.ts" } : { src: `/${file}` }
        return [{ tag: "script", attrs, injectTo: "head-prepend" }]
      },
    },
  }
}
