import { judgesCases } from './cases.suite.ts';
import { cases } from './cases.ts';

judgesCases(cases);
