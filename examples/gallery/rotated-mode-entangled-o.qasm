OPENQASM 3.0;
include "stdgates.inc";
gate classical_o _gate_q_0, _gate_q_1 {
  x _gate_q_0;
  x _gate_q_1;
}
gate entangling_x _gate_q_0, _gate_q_1, _gate_q_2, _gate_q_3 {
  ry(pi/2) _gate_q_1;
  x _gate_q_2;
  x _gate_q_3;
  cx _gate_q_1, _gate_q_3;
}
gate mode_rotation_2_0 _gate_q_0, _gate_q_1 {
  h _gate_q_0;
  h _gate_q_1;
}
bit[2] pos;
bit[2] mark;
qubit[9] occ;
qubit[9] sym;
qubit[9] her;
classical_o occ[4], sym[4];
entangling_x occ[4], sym[4], occ[5], sym[5];
mode_rotation_2_0 sym[4], sym[5];
pos[0] = measure occ[4];
pos[1] = measure occ[5];
mark[0] = measure sym[4];
mark[1] = measure sym[5];
