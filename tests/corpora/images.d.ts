import type { ImageType } from '@posthorn/core/ports/transport';
/** A valid image of one pixel for each type. */
export declare const sampleImages: Readonly<Record<ImageType, Uint8Array>>;
//# sourceMappingURL=images.d.ts.map