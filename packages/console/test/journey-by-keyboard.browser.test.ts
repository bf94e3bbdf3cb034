import { keyboard } from './hands.js'
import { walkTheJourney } from './journey.js'

walkTheJourney('by keyboard alone', keyboard)
