import { setFlagsFromString } from 'node:v8'

/**
 * V8 lets garbage grow to several times what is in use before it collects it; here it is half of that. What is in use may grow as it
 * needs. V8 reads this at each collection, so it counts from now on.
 */
setFlagsFromString('--heap-growing-percent=50')
