import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { engineVersion } from "../../engines/llama/computer.ts"
import { startTestBox } from "../../testing/test-box.ts"

// Catches a graphics card that failed once and is tried again only if someone finds and deletes an internal file.
it("forgets that the graphics card failed, even after a restart", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-gpu-"))
  const file = join(dataDir, "gpu.json")
  const failed = { version: engineVersion, result: "failed", memoryBytes: 0, at: Date.now() }
  {
    await using box = await startTestBox({ dataDir })
    await writeFile(file, JSON.stringify(failed))
    await box.restart()
    const trial = async () => (await box.client.models.catalogue()).computer.gpu
    expect(await trial()).toBe("failed")
    await box.client.models.tryGpuAgain()
    expect(await trial()).toBeNull()
    expect(existsSync(file)).toBe(false)
    await box.restart()
    expect(await trial()).toBeNull()
  }
  await rm(dataDir, { recursive: true, force: true })
})
