import type { ModelDownload } from "../../../../shared/contract/model-files.ts"
import type { EventBus, Push } from "../../../core/event-bus.ts"
import type { Logger } from "../../../core/logging/logger.ts"

export interface DownloadNewsDeps {
  bus: EventBus
  push: Push
  /** Only owners are notified, as with the list of downloads: file names and servers' messages reveal details of the computer. */
  ownerIds(): Promise<readonly string[]>
  logger: Logger
}

/** Notifies owners' apps of each change of a download, and the server's other features of each end. */
export function createDownloadNews({ bus, push, ownerIds, logger }: DownloadNewsDeps) {
  /** Last reported state of each download. */
  const lastStatuses = new Map<string, ModelDownload["status"]>()

  return (download: ModelDownload): void => {
    const { id, status } = download
    ownerIds().then(
      (userIds) => push(userIds, { type: "model.download", download }),
      (error: unknown) => logger.error({ err: error }, "Sending news of a download failed"),
    )
    const before = lastStatuses.get(id)
    if (status === "cancelled") lastStatuses.delete(id)
    else lastStatuses.set(id, status)
    if (status !== before && (status === "done" || status === "failed"))
      bus.publish("download.ended", { download })
  }
}
