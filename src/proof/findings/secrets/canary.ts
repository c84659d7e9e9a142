import { type FindingRule, finding } from '../rule.ts'

export const secretCanary: FindingRule = ({ canaries }) => canaries.map(place => finding('secret.canary', { measured: place }))
