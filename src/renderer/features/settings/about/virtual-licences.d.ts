/** Made by the build from the packages that it bundles (`scripts/licences.ts`). */
declare module "virtual:licences" {
  export interface BundledPackage {
    name: string
    version: string
    /** SPDX expression. */
    licence: string
    /** Index in `texts`; null for a package that comes without its licence's text. */
    text: number | null
  }
  export const packages: BundledPackage[]
  /** Each licence text once. */
  export const texts: string[]
}
