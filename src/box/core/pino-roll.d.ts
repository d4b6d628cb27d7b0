declare module "pino-roll" {
  import type { SonicBoom } from "sonic-boom"

  export default function roll(options: {
    file: string
    extension?: string
    size?: string
    limit?: { count: number }
  }): Promise<SonicBoom>
}
