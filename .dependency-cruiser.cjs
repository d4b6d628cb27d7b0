/** Directions of imports; ARCHITECTURE.md says why. */
const rule = (name, comment, from, to) => ({ name, comment, severity: "error", from, to })
const tests = "(\\.test\\.tsx?$|/testing/)"

module.exports = {
  forbidden: [
    rule("no-circles", "Circles make parts inseparable, those of types too.", {}, { circular: true }),
    rule(
      "shared-is-pure",
      "shared/ is read by all floors: only itself, zod and the event-stream parser.",
      { path: "^src/shared/", pathNot: tests },
      { pathNot: ["^src/shared/", "node_modules/(zod|eventsource-parser)/"] },
    ),
    rule(
      "serve-is-shared",
      "What both servers do with every request knows the contract only.",
      { path: "^src/serve/", pathNot: tests },
      { path: "^src/(?!serve/|shared/)" },
    ),
    rule(
      "box-is-plain-node",
      "The box never knows of the shell or the page.",
      { path: "^src/box/" },
      { path: ["^src/(main|preload|renderer)/", "node_modules/electron/"] },
    ),
    rule(
      "box-asks-the-cloud",
      "The box reaches the auth service over HTTP; only tests start one.",
      { path: "^src/box/", pathNot: tests },
      { path: "^src/auth-service/" },
    ),
    rule(
      "page-speaks-the-api",
      "Page and preload use the public API and nothing else.",
      { path: "^src/(renderer|preload)/" },
      { path: "^src/(box|main|auth-service|serve)/" },
    ),
    rule(
      "page-features-are-strangers",
      "Features of the page meet through data/, or through what app/ puts together.",
      { path: "^src/renderer/features/([^/]+)/", pathNot: tests },
      { path: "^src/renderer/features/([^/]+)/", pathNot: "^src/renderer/features/$1/" },
    ),
    rule(
      "page-floors",
      "In the page too: app → features → data → ui → lib.",
      { path: "^src/renderer/(features|data|ui|lib)/", pathNot: tests },
      { path: "^src/renderer/app/" },
    ),
    rule(
      "page-data-below-features",
      "What the page knows of the box knows nothing of screens.",
      { path: "^src/renderer/(data|ui|lib)/", pathNot: tests },
      { path: "^src/renderer/features/" },
    ),
    rule(
      "page-ui-below-data",
      "What every screen is made of knows nothing of the box's data.",
      { path: "^src/renderer/(ui|lib)/", pathNot: tests },
      { path: "^src/renderer/data/" },
    ),
    rule(
      "page-lib-is-lowest",
      "lib/ draws nothing.",
      { path: "^src/renderer/lib/", pathNot: tests },
      { path: "^src/renderer/ui/" },
    ),
    rule(
      "main-hosts",
      "The shell hosts the box; it doesn't render.",
      { path: "^src/main/" },
      { path: "^src/(renderer|preload|auth-service)/" },
    ),
    rule(
      "core-is-lowest",
      "core/ knows nothing of the rest of the box.",
      { path: "^src/box/core/", pathNot: tests },
      { path: "^src/box/(?!core/)" },
    ),
    rule(
      "http-above-core",
      "http/ knows core/ only.",
      { path: "^src/box/http/", pathNot: tests },
      { path: "^src/box/(?!core/|http/)" },
    ),
    rule(
      "engines-above-http",
      "engines/ know http/ and core/ only.",
      { path: "^src/box/engines/", pathNot: tests },
      { path: "^src/box/(?!core/|http/|engines/)" },
    ),
    rule(
      "parsers-above-engines",
      "parsers/ and tools/ don't know features.",
      { path: "^src/box/(parsers|tools)/", pathNot: tests },
      { path: "^src/box/(features|commands|compose|start-box|cli)" },
    ),
    rule(
      "features-are-strangers",
      "Features meet through the event bus or through what compose/ passes in.",
      { path: "^src/box/features/([^/]+)/", pathNot: tests },
      { path: "^src/box/features/([^/]+)/", pathNot: "^src/box/features/$1/" },
    ),
    rule(
      "chat-floors",
      "Inside chat: service → turn → reading → grounding, tool-calls → approvals → transcript, streams; conversations → transcript.",
      { path: "^src/box/features/chat/(transcript|streams)/", pathNot: tests },
      { path: "^src/box/features/chat/", pathNot: "^src/box/features/chat/$1/" },
    ),
    rule(
      "chat-approvals",
      "Who decides about calls knows what is stored and streamed only.",
      { path: "^src/box/features/chat/approvals/", pathNot: tests },
      { path: "^src/box/features/chat/(?!approvals/|transcript/|streams/)" },
    ),
    rule(
      "chat-tool-calls",
      "Calls are made without knowing the turn that makes them.",
      { path: "^src/box/features/chat/tool-calls/", pathNot: tests },
      { path: "^src/box/features/chat/(?!tool-calls/|approvals/|transcript/)" },
    ),
    rule(
      "chat-on-the-transcript",
      "What finds passages, and what shows conversations, knows what is stored only.",
      { path: "^src/box/features/chat/(grounding|conversations)/", pathNot: tests },
      { path: "^src/box/features/chat/", pathNot: "^src/box/features/chat/($1|transcript)/" },
    ),
    rule(
      "chat-reading",
      "What reads whole knows how passages are quoted and linked, and nothing of the turn that asks for it.",
      { path: "^src/box/features/chat/reading/", pathNot: tests },
      { path: "^src/box/features/chat/(?!reading/|grounding/)" },
    ),
    rule(
      "chat-turn",
      "A turn doesn't know who asks for it.",
      { path: "^src/box/features/chat/turn/", pathNot: tests },
      { path: "^src/box/features/chat/(conversations/|service|routes)" },
    ),
    rule(
      "auth-service-alone",
      "The cloud side shares the contract with the box and nothing else.",
      { path: "^src/auth-service/" },
      { path: ["^src/(box|main|preload|renderer)/", "node_modules/electron/"] },
    ),
    rule(
      "auth-service-floors",
      "Inside it too: compose → features → http → core.",
      { path: "^src/auth-service/(core|http)/", pathNot: tests },
      { path: "^src/auth-service/(features|commands|compose|start-auth-service|cli)" },
    ),
    rule(
      "auth-service-core-is-lowest",
      "core/ knows nothing of the rest of the auth service.",
      { path: "^src/auth-service/core/", pathNot: tests },
      { path: "^src/auth-service/(?!core/)" },
    ),
    rule(
      "auth-service-features-are-strangers",
      "Its features meet through what compose.ts passes in.",
      { path: "^src/auth-service/features/([^/]+)/", pathNot: tests },
      { path: "^src/auth-service/features/([^/]+)/", pathNot: "^src/auth-service/features/$1/" },
    ),
    rule(
      "nobody-imports-compose",
      "Only starting the box, and commands that work on its data, know every part.",
      { path: "^src/box/(?!start-box|commands/|compose/)", pathNot: tests },
      { path: "^src/box/compose/" },
    ),
    rule(
      "electron-in-main-only",
      "Electron's API belongs to the shell.",
      { path: "^src/", pathNot: "^src/(main|preload)/" },
      { path: "node_modules/electron/" },
    ),
    rule(
      "sources-need-no-test-parts",
      "What ships doesn't use what tests build.",
      { path: "^src/", pathNot: tests },
      { path: "/testing/" },
    ),
    rule(
      "resolvable",
      "Imports exist. Node's own parts do for tests (--expose-internals).",
      {},
      { couldNotResolve: true, pathNot: "^(virtual:|internal/test/|.*\\.css$)" },
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
}
