import { build, type Plugin } from "vite"

/** Bundles a separate script with all its imports. */
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
 * Makes the page run a small script before anything is painted and before the page's other code is loaded. Results that the other code
 * waits for, such as an answer from the box, are then already requested.
 *
 * @param path of the script; code that it shares with the page is in both.
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
