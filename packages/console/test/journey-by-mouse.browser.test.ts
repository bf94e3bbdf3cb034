import { mouse } from './hands.js'
import { walkTheJourney } from './journey.js'

walkTheJourney('by mouse', mouse)
