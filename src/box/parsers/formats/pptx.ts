import { isCompoundFile } from "../compound/compound-archive.ts"
import { OfficePackage, describePackage, mainPart, getRelationships } from "../office/office-package.ts"
import { ChartOutline, DrawingOutline } from "../ooxml/drawing-outline.ts"
import { failure } from "../parser.ts"
import type { Parser } from "../parser.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import { HiddenSlides } from "../text/hidden-slides.ts"
import { attribute } from "../xml/xml-events.ts"

/** Parts of a slide that are read after its shapes, with the title under which they are cited. */
const furtherParts: Record<string, string | undefined> = {
  chart: undefined,
  diagramData: undefined,
  notesSlide: "Notes",
  comments: "Comments",
}

/** Reads PowerPoint presentations slide by slide: shapes and tables, then charts, diagrams, notes and comments. */
export const pptx: Parser = {
  async *parse(input, context) {
    if (await isCompoundFile(input.file)) {
      const { compoundFile } = await import("./compound-file.ts")
      return yield* compoundFile.parse(input, context)
    }
    const file = await OfficePackage.open(input.file, context)
    const main = await mainPart(file, "ppt/presentation.xml")
    if (!file.has(main)) throw failure("not_presentation")
    if (input.scan?.picture !== undefined) return yield* file.pictureText(input.scan.picture, context)
    await describePackage(file, context)
    const slideIds: string[] = []
    await file.read(main, {
      open(name, attributes) {
        // The slide's own number is also an attribute `id`; the relationship's id has a prefix.
        if (name !== "sldId") return
        const { id: _, ...prefixed } = attributes
        slideIds.push(attribute(prefixed, "id") ?? "")
      },
    })
    const hidden = new HiddenSlides(context)
    const parts = new Map((await getRelationships(file, main)).map(({ id, target }) => [id, target]))
    for (const [index, id] of slideIds.entries()) {
      const part = parts.get(id)
      if (part === undefined) continue
      const slide = index + 1
      const outline = new FlowOutline({ slide })
      const drawing = new DrawingOutline(outline)
      await file.read(part, drawing)
      if (drawing.isHidden) {
        hidden.add(slide)
        if (!hidden.isMarked) continue
      }
      yield* hidden.mark(outline.take())
      const related = await getRelationships(file, part)
      for (const { id } of drawing.pictures) {
        const picture = related.find((relationship) => relationship.id === id)
        if (!picture) continue
        const { location } = outline
        yield* file.picture({ part: picture.target, location, isHidden: drawing.isHidden }, context)
      }
      for (const type of Object.keys(furtherParts)) {
        for (const { target } of related.filter((relationship) => relationship.type === type)) {
          const title = furtherParts[type]
          if (title) outline.section(title)
          await file.read(target, type === "chart" ? new ChartOutline(outline) : new DrawingOutline(outline))
          yield* hidden.mark(outline.take())
        }
      }
    }
    hidden.note(context)
  },
}
