import type { EventBus } from "../core/event-bus.ts"
import { lazy } from "../core/lazy.ts"
import type { ChatPictures } from "../features/chat/turn/turn-pictures.ts"
import type { Files } from "../features/files/service.ts"
import type { PicturePreparer } from "../parsers/vision/picture-preparer.ts"
import type { Base } from "./compose-options.ts"

/** Prepares images for models that accept them; loaded with the first image. */
export function composePreparer({ spawn, logger, stack }: Base): Pick<PicturePreparer, "prepare"> {
  let opened: Promise<PicturePreparer> | undefined
  stack.defer(async () => (await opened)?.[Symbol.asyncDispose]())
  const open = lazy(() => {
    opened = import("../parsers/vision/picture-preparer.ts").then(({ createPicturePreparer }) =>
      createPicturePreparer({ spawn, logger }),
    )
    return opened
  })
  return { prepare: async (file, signal) => (await open()).prepare(file, signal) }
}

/** Images that are attached to chats; loaded in the same way. */
export function composeChatPictures(
  preparer: Pick<PicturePreparer, "prepare">,
  files: Pick<Files, "bytes" | "read" | "text">,
  bus: EventBus,
): ChatPictures {
  const open = lazy(async () => (await import("./chat-pictures.ts")).createChatPictures(preparer, files, bus))
  return {
    show: async (...asked) => (await open()).show(...asked),
    read: async (...asked) => (await open()).read(...asked),
  }
}
