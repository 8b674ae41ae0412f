OPENQASM 3.0;
include "stdgates.inc";
gate superposition_o _gate_q_0, _gate_q_1, _gate_q_2, _gate_q_3 {
  h _gate_q_0;
  x _gate_q_2;
  cx _gate_q_0, _gate_q_2;
  cx _gate_q_0, _gate_q_1;
  cx _gate_q_2, _gate_q_3;
}
bit[2] pos;
bit[2] mark;
qubit[9] occ;
qubit[9] sym;
qubit[9] her;
superposition_o occ[3], sym[3], occ[4], sym[4];
pos[0] = measure occ[3];
pos[1] = measure occ[4];
mark[0] = measure sym[3];
mark[1] = measure sym[4];
