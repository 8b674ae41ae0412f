OPENQASM 3.0;
include "stdgates.inc";
gate classical_o _gate_q_0, _gate_q_1 {
  x _gate_q_0;
  x _gate_q_1;
}
gate mode_rotation_1_0 _gate_q_0 {
  h _gate_q_0;
}
bit[1] pos;
bit[1] mark;
qubit[9] occ;
qubit[9] sym;
qubit[9] her;
classical_o occ[4], sym[4];
mode_rotation_1_0 sym[4];
pos[0] = measure occ[4];
mark[0] = measure sym[4];
