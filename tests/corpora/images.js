const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
/** A valid image of one pixel for each type. */
export const sampleImages = {
    'image/png': bytesOf('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
    'image/jpeg': bytesOf(`/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABAQ${'EBAQ'.repeat(20)}EBD/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z`),
    'image/gif': bytesOf('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'),
};
//# sourceMappingURL=images.js.map