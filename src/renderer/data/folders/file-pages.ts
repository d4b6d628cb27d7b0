import { useQuery } from "@tanstack/react-query"
import { box } from "../../lib/box.ts"

/** Files whose pages the box can render: PDF files and images. */
export const hasPages = (fileName: string): boolean => /\.(pdf|png|jpe?g|gif|webp|bmp|tiff?)$/i.test(fileName)

/** Files that browsers can show as images. */
export const isPicture = (fileName: string): boolean => /\.(png|jpe?g|gif|webp|bmp)$/i.test(fileName)

/** Sizes of a file's pages. */
export const useFilePageSizes = (folderId: string, fileId: string) =>
  useQuery({
    queryKey: ["file-pages", folderId, fileId],
    queryFn: async ({ signal }) =>
      (await box.files.pages({ params: { id: folderId, fileId } }, { signal })).pages,
    retry: false,
  })

/** Address of a page's image; `width` is in screen pixels. */
export function filePagePath(folderId: string, fileId: string, page: number, width: number): string {
  const bounded = Math.min(2400, Math.max(100, Math.round(width)))
  return `/api/public/vectors/${encodeURIComponent(folderId)}/files/${encodeURIComponent(fileId)}/pages/${page}?width=${bounded}`
}
