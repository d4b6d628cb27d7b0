import { useEffect, useRef, useState, type ImgHTMLAttributes, type RefObject } from "react"
import { sessionHeaders } from "../../lib/browser/sign-in-storage.ts"

interface BoxPictureProps extends Omit<ImgHTMLAttributes<HTMLImageElement>, "src" | "loading" | "onError"> {
  /** Path of the image on the box. */
  path: string
  alt: string
  onFailed: () => void
}

/** Larger images aren't kept in memory. */
const largestBytes = 50_000_000
/** An image is fetched when it is this close to the visible area. */
const nearMargin = "400px"

/**
 * An image that only its user may see. The request of an `img` element carries no secret, so the page fetches the image and shows it from
 * memory while it is rendered.
 */
export function BoxPicture({ path, alt, onFailed, ...image }: BoxPictureProps) {
  const element = useRef<HTMLImageElement>(null)
  const isNear = useNear(element)
  const address = usePicture(isNear ? path : null, onFailed)
  return <img ref={element} {...image} alt={alt} src={address} onError={onFailed} />
}

function useNear(element: RefObject<Element | null>): boolean {
  const [near, setNear] = useState(false)
  useEffect(() => {
    if (near || !element.current) return undefined
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      { rootMargin: nearMargin },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [near, element])
  return near
}

/** Returns the URL of an image in memory. It is revoked when the component unmounts or the image changes. */
function usePicture(path: string | null, onFailed: () => void): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (path === null) return undefined
    const ending = new AbortController()
    let made: string | undefined
    fetchPicture(path, ending.signal).then(
      (picture) => {
        if (ending.signal.aborted) return
        made = URL.createObjectURL(picture)
        setAddress(made)
      },
      () => ending.signal.aborted || onFailed(),
    )
    return () => {
      ending.abort()
      if (made !== undefined) URL.revokeObjectURL(made)
    }
    // oxlint-disable-next-line react/exhaustive-deps -- what to do about a failure doesn't make it another picture
  }, [path])
  return address
}

async function fetchPicture(path: string, signal: AbortSignal): Promise<Blob> {
  const response = await fetch(path, { signal, headers: sessionHeaders() })
  const size = Number(response.headers.get("content-length") ?? 0)
  const type = response.headers.get("content-type") ?? ""
  if (response.ok && size <= largestBytes && type.startsWith("image/")) return response.blob()
  await response.body?.cancel()
  throw new Error(`No picture that can be shown: ${response.status}, ${type}, ${size} bytes.`)
}
